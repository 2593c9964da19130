import { readFile, rename } from 'node:fs/promises';
import type { z } from 'zod';
import { writeAtomic } from '../store/atomic.js';

/** A small document of the app's own: read once, then kept in memory and written whole. */
export interface JsonFile<T> {
  readonly get: () => Promise<T>;
  /** Settles when it is on disk; throws when it cannot be written, and then the old content stays. */
  readonly set: (change: (value: T) => T) => Promise<T>;
  /** Null, or what was wrong with the file and where it was put, in words. */
  readonly notice: () => string | null;
}

/** A file that is damaged is set aside, never lost, and `fallback` counts; one that is not there is the fallback too. */
export function openJsonFile<T>(path: string, schema: z.ZodType<T>, fallback: T): JsonFile<T> {
  let notice: string | null = null;
  let value: Promise<T> | null = null;
  let writing: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<T> => {
    let why: string;
    try {
      const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')));
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      why = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
      why = error instanceof Error ? error.message : String(error);
    }
    const aside = `${path}.damaged-${Date.now()}`;
    const moved = await rename(path, aside).then(
      () => `it was set aside as ${aside}`,
      (error: unknown) => `it could not be set aside (${error instanceof Error ? error.message : String(error)})`,
    );
    notice = `${path} cannot be read (${why}); ${moved}, and the defaults count until something is changed`;
    return fallback;
  };
  const get = () => (value ??= load());
  return {
    get,
    set: (change) => {
      const write = async () => {
        const next = change(await get());
        await writeAtomic(path, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
        value = Promise.resolve(next);
        return next;
      };
      const done = writing.then(write, write);
      writing = done.catch(() => undefined);
      return done;
    },
    notice: () => notice,
  };
}
