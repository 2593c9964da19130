/** Values for `-c key=value`, whose value the agent reads as TOML. */

/** A basic string. JSON's escapes are TOML's, but DEL must be escaped there and a lone surrogate does not exist. */
export function tomlText(text: string): string {
  if (!text.isWellFormed()) throw new Error('a text with a lone surrogate has no TOML form');
  return JSON.stringify(text).replaceAll('\u007f', '\\u007F');
}

/** An inline table with quoted keys; the values are TOML already. */
export function tomlTable(entries: readonly (readonly [key: string, value: string])[]): string {
  return `{${entries.map(([key, value]) => `${tomlText(key)}=${value}`).join(',')}}`;
}
