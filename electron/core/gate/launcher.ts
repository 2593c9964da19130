import { quoteSh } from '../../../shared/quote-sh.js';

/** Name of the launcher in the state folder's `bin/`; compiled configurations name this fixed path. */
export const LAUNCHER_NAME = 'sallyport-hook';

/**
 * The launcher: a POSIX sh script that hands one event from standard input to the gate's Unix
 * socket and prints the answer, byte for byte. What was learnt by trying stands in it:
 * curl by absolute path and `-q` (a user's ~/.curlrc could turn the answer into an empty yes);
 * the token from a file (never in a process list); no `exec` (curl's own exit codes 7, 18, 22, 28
 * and 52 are a yes to some agents); the answer only when complete; every other path ends with a
 * text on standard error and exit 2.
 *
 * usage: sallyport-hook SOCKET HEADER_FILE MAX_SECONDS EVENT
 */
export function launcherScript(curl: string): string {
  return `#!/bin/sh
# Written by Sallyport; hands one hook event to the gate of a run. Do not edit: it is written again at each launch.
set -u
refuse() { printf 'Sallyport: %s\\n' "$1" >&2; exit 2; }
trap 'refuse "the hook launcher was interrupted, so this is denied"' HUP INT TERM
[ $# -eq 4 ] || refuse 'the hook launcher was called wrongly, so this is denied'
case $4 in *[!A-Za-z0-9._-]*|'') refuse 'the name of the event is malformed, so this is denied' ;; esac
answer=$(${quoteSh(curl)} -q -sS --fail --noproxy '*' --max-time "$3" --unix-socket "$1" \\
  -H "@$2" -H 'content-type: application/json' -H 'expect:' --data-binary @- "http://gate/dispatch/$4") ||
  refuse 'the gate of this run does not answer (its owner may have ended), so this is denied'
case $answer in
  '{'*'}') printf '%s' "$answer" || refuse 'the answer could not be handed on, so this is denied' ;;
  *) refuse 'the gate gave no complete answer, so this is denied' ;;
esac
`;
}
