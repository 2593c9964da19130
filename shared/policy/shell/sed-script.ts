/**
 * Reads a sed script (GNU's dialect) for the files it writes and the commands it runs. It reads the
 * script as sed does, command by command: what it does not know makes the whole `computed`.
 */

export interface SedScript {
  readonly files: readonly string[];
  /** Shell text that `e` runs. */
  readonly commands: readonly string[];
  readonly computed: boolean;
}

const ADDRESS = /(?:\d+(?:~\d+)?|[+~]\d+|\$)/y;

/** Never throws; a script that breaks off is `computed`. */
export function sedScript(text: string): SedScript {
  const files: string[] = [];
  const commands: string[] = [];
  let computed = false;
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const line = () => skip(/[^\n]*/y);
  /** Text up to the next unescaped delimiter; null when there is none. */
  const delimited = (delimiter: string): string | null => {
    const start = at;
    for (; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === delimiter) return text.slice(start, (at += 1) - 1);
    }
    return null;
  };
  const address = (): void => {
    skip(ADDRESS);
    const sign = text[at];
    if (sign !== '/' && sign !== '\\') return;
    at += sign === '/' ? 1 : 2;
    if (delimited(sign === '/' ? '/' : (text[at - 1] ?? '')) === null) computed = true;
    skip(/[IM]*/y);
  };
  const substitute = (): void => {
    const delimiter = text[(at += 1) - 1] ?? '';
    const [pattern, replacement] = [delimited(delimiter), delimited(delimiter)];
    if (pattern === null || replacement === null) computed = true;
    if (skip(/[gpiIMm0-9e]*/y).includes('e')) {
      computed = true;
      commands.push(replacement ?? '');
    }
    if (text[at] === 'w') {
      at += 1;
      files.push(line().trim());
    }
  };
  while (at < text.length && !computed) {
    skip(/[\s;]*/y);
    if (at >= text.length) break;
    address();
    skip(/[ \t]*/y);
    if (text[at] === ',') {
      at += 1;
      skip(/[ \t]*/y);
      address();
    }
    skip(/[\s!]*/y);
    const command = text[at] ?? '';
    at += 1;
    if ('{}'.includes(command)) continue;
    if (command === 's') substitute();
    else if (command === 'y') {
      const delimiter = text[(at += 1) - 1] ?? '';
      if (delimited(delimiter) === null || delimited(delimiter) === null) computed = true;
    } else if ('wW'.includes(command)) files.push(line().trim());
    else if (command === 'e') {
      const own = line().trim();
      if (own === '') computed = true;
      else commands.push(own);
    } else if ('#rR'.includes(command)) line();
    else if ('aic'.includes(command)) skip(/(?:\\[\s\S]|[^\\\n])*/y);
    else if (':btTv'.includes(command)) skip(/[^\n;}]*/y);
    else if ('=dDgGhHlLnNpPxzFqQ'.includes(command)) skip(/[ \t]*\d*/y);
    else computed = true;
  }
  return { files, commands, computed };
}
