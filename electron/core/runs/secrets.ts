/**
 * Which values of an environment are secrets; they are known to the redactor before a process starts.
 * It judges names and forms only and never looks into files.
 */

/** Names whose values are secrets, wherever they come from. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|AUTH/i;

/** Names whose values are lists of request headers, such as `ANTHROPIC_CUSTOM_HEADERS`. */
const HEADERS_NAME = /HEADERS/i;

/** The user info of a URL: everything up to the last `@` of the authority. */
const USER_INFO = /[a-z][a-z0-9+.-]*:\/\/([^\s/?#]+)@/gi;

export interface KnownSecret {
  readonly label: string;
  readonly value: string;
}

/** Label (the variable's name) and value of each secret of an environment, each value once per variable. */
export function secretsOf(env: Readonly<Record<string, string>>): readonly KnownSecret[] {
  return Object.entries(env).flatMap(([label, text]) => {
    const values = new Set([
      ...(SECRET_NAME.test(label) ? [text] : []),
      ...(HEADERS_NAME.test(label) ? headerValues(text) : []),
      ...userInfos(text),
    ]);
    values.delete('');
    return [...values].map((value) => ({ label, value }));
  });
}

/** The password and the pair of each URL, as written and with its percent escapes read. */
function userInfos(text: string): string[] {
  return [...text.matchAll(USER_INFO)].flatMap(([, pair = '']) => {
    const colon = pair.indexOf(':');
    // A user alone (`ssh://git@host`) is a name.
    if (colon === -1 || colon === pair.length - 1) return [];
    const password = pair.slice(colon + 1);
    return [password, pair, unescaped(password), unescaped(pair)];
  });
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of each `Name: value` line, and what follows a scheme such as `Bearer` in it. */
function headerValues(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon === -1) return [];
    const value = line.slice(colon + 1).trim();
    const credentials = /^(?:Bearer|Basic|Token)\s+(.+)$/i.exec(value)?.[1];
    return credentials === undefined ? [value] : [value, credentials];
  });
}
