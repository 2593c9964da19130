/** A digest in pieces that an eye can compare: its algorithm, and its digits in groups of four. Together they are the whole digest. */
export function digestGroups(digest: string): { readonly algorithm: string; readonly groups: readonly string[] } {
  const colon = digest.indexOf(':');
  // A name such as that of a registry version is no row of digits.
  if (colon === -1) return { algorithm: '', groups: [digest] };
  const algorithm = digest.slice(0, colon + 1);
  const digits = digest.slice(colon + 1);
  return { algorithm, groups: digits.match(/.{1,4}/gsu) ?? [] };
}
