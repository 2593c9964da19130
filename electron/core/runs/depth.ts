/** The variable is only ever set by us, as a small number; anything else is somebody's attempt to get round the limit. */
const TOO_DEEP = 1_000;

/** Hook depth of a process: one more than that of the hook that started it, 0 when none did. What is no small number counts as too deep. */
export function hookDepth(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['SALLYPORT_HOOK_DEPTH'];
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) + 1 : TOO_DEEP;
}
