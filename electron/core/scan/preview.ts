/** What may be shown of a secret: enough to recognise one's own, never more than a quarter of it. */
export function maskedPreview(secret: string): string {
  const characters = Array.from(secret);
  const quarter = Math.floor(characters.length / 4);
  const head = Math.min(3, quarter);
  const tail = Math.min(2, quarter - head);
  const shown = [...characters.slice(0, head), '…', ...characters.slice(characters.length - tail)];
  return shown.map((character) => (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? character : '·')).join('');
}
