/**
 * Starts a command where only the loopback network exists: an agent's program in there can reach a
 * scripted model server and nothing else. Needs root, or user namespaces open to this user.
 */

const INSIDE = 'ip link set lo up && exec "$@"';

/** The argv that runs `command` in a network namespace of its own, in which every port is free. */
export function onLoopback(command: readonly string[]): readonly [string, ...string[]] {
  const asRoot = process.getuid?.() === 0;
  return ['unshare', ...(asRoot ? [] : ['--user', '--map-root-user']), '--net', 'sh', '-c', INSIDE, 'sh', ...command];
}
