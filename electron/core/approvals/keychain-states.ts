/**
 * How the system's keychain can stand, and what each state means for a person. Texts only.
 * Which error text means which state was measured with gnome-keyring 42.1 and libsecret 0.20.5.
 */

/** Why the keychain gives no answer that counts. */
export type KeychainTrouble =
  /** No D-Bus session to reach a keychain by: SSH, cron, a container. */
  | 'no-bus'
  /** A session bus, but no program on it that keeps secrets; or the library for it is missing. */
  | 'no-service'
  /** There is a keyring, and it is shut (or was never made). */
  | 'locked'
  /** No answer within the time; most often a window asks for the keyring's password. */
  | 'hanging'
  /** It answered with an error, or a person said no to it. */
  | 'refused';

export interface KeychainError {
  readonly state: KeychainTrouble;
  /** What it means and what to do. */
  readonly text: string;
}

const TEXTS: Readonly<Record<Exclude<KeychainTrouble, 'refused' | 'hanging'>, string>> = {
  'no-bus':
    'There is no D-Bus session here, so the keychain cannot be reached (usual over SSH, in cron and in containers). ' +
    'Start Sallyport from your desktop session, or inside `dbus-run-session` with an unlocked keyring.',
  'no-service':
    'No program on the session bus keeps secrets. Install one and log in again (Debian: apt-get install gnome-keyring ' +
    'libsecret-1-0; KeePassXC and KWallet can do it too).',
  locked:
    'The keyring is locked, or there is none yet. Unlock it (log in to your desktop, or open "Passwords and Keys" and ' +
    'unlock "Login"), then try again.',
};

const LIBRARY_MISSING =
  'The library that reaches the keychain cannot be loaded. Install it (Debian: apt-get install libsecret-1-0).';

/** The trouble, with its text; `detail` is the keychain's own message, or the milliseconds that were waited. */
export function keychainError(state: KeychainTrouble, detail = ''): KeychainError {
  if (state === 'hanging') {
    const waited = detail === '' ? 'in time' : `within ${detail}`;
    return {
      state,
      text:
        `The keychain did not answer ${waited}; most likely a window asks for the keyring's password. ` +
        'Answer it or unlock the keyring, then try again.',
    };
  }
  if (state !== 'refused') return { state, text: TEXTS[state] };
  const said = detail === '' ? '' : ` (${detail})`;
  return { state, text: `The keychain refused${said}. Look at it in "Passwords and Keys", then try again.` };
}

const MEANINGS: readonly (readonly [RegExp, KeychainTrouble])[] = [
  [/not provided by any \.service|ServiceUnknown|NameHasNoOwner|StartServiceByName|Spawn\./, 'no-service'],
  [/autolaunch|Could not connect|Connection refused|connection is closed|session bus|dbus-launch/i, 'no-bus'],
  // "Object does not exist at path …/collection/login": the login keyring was never made or never unlocked.
  [
    /locked collection|IsLocked|is locked|Object does not exist at path|No such (?:object|secret collection)/i,
    'locked',
  ],
  [/Timeout was reached|NoReply|timed out/i, 'hanging'],
];

/** What an error text of the keychain means; unknown ones are a refusal. */
export function meaningOf(message: string): KeychainError {
  if (/Failed to load keytar|Cannot find (?:module|package)/.test(message)) {
    return { state: 'no-service', text: LIBRARY_MISSING };
  }
  const state = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'refused';
  return keychainError(state, state === 'refused' ? message.slice(0, 300) : '');
}
