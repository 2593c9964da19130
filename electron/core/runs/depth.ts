/** Hook depth of a process: one more than that of the hook that started it, 0 when none did. */
export function hookDepth(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['SALLYPORT_HOOK_DEPTH'];
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) + 1 : 0;
}
