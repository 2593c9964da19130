/** The protected names that a shell's glob may stand for: files nobody can list here, names everybody knows. */
import picomatch from 'picomatch';

const NAMES = ['.env', '.git', '.ssh'];

/** The path with each segment that is a glob replaced by the names of `NAMES` it matches; `dots`: `*` matches a leading dot. */
export function namesMatched(path: string, dots: boolean): readonly string[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    if (!/[*?[(]/.test(segment)) return [];
    return NAMES.filter((name) => matches(segment, name, dots)).map((name) =>
      segments.map((other, at) => (at === index ? name : other)).join('/'),
    );
  });
}

function matches(segment: string, name: string, dots: boolean): boolean {
  try {
    return picomatch(segment, { dot: dots, posix: true })(name);
  } catch {
    return true;
  }
}
