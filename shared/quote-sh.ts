/** One word of POSIX sh that means exactly this text, whatever it holds. */
export function quoteSh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
