/**
 * The Debian packages that the tests need. Job: install the missing ones as root, else say exactly which are missing.
 * It must not touch a system that is not Debian's kind.
 */
import { spawnSync } from 'node:child_process';
import { run } from './setup.mjs';

/** Package -> what needs it. */
const NEEDED = {
  curl: 'the launcher that agents call',
  openssl: 'tests of certificates and digests',
  iproute2: 'a network of their own for the agents in tests (ip)',
  'util-linux': 'the same (unshare)',
  bsdutils: 'a terminal for the command in tests (script)',
  procps: 'looking at processes in tests (ps)',
  'libgtk-3-0': 'Electron',
  libnss3: 'Electron',
  libasound2: 'Electron',
  libgbm1: 'Electron',
  xvfb: 'a display for the application',
  xauth: 'a display for the application',
  'x11-utils': 'looking at windows in tests (xwininfo)',
  'libsecret-1-0': 'the keychain',
  'gnome-keyring': 'a keychain of their own for tests',
  'dbus-daemon': 'a session bus of their own for tests (dbus-run-session)',
  'dbus-bin': 'the same (dbus-send)',
  libnotify4: 'notifications of the application',
  'python3-gi': 'a desktop with a tray for tests',
  'python3-cryptography': 'the recipe by which an outsider verifies receipts, in tests',
};

function isInstalled(name) {
  const asked = spawnSync('dpkg-query', ['-W', '-f=${Status}', name], { encoding: 'utf8' });
  return asked.status === 0 && asked.stdout.includes('ok installed');
}

/** Installs what is missing. Answers null when all is there, else what to do. */
export async function ensureDebianPackages() {
  if (spawnSync('dpkg-query', ['--version']).status !== 0) {
    return `This is not Debian; install what these Debian packages hold: ${Object.keys(NEEDED).join(' ')}`;
  }
  const missing = Object.keys(NEEDED).filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  if (process.getuid?.() !== 0) {
    const why = missing.map((name) => `  ${name}: ${NEEDED[name]}`).join('\n');
    return `Debian packages are missing:\n${why}\nInstall them: sudo apt-get install -y ${missing.join(' ')}`;
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  const status = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], { env });
  return status === 0 ? null : `apt-get could not install: ${missing.join(' ')}`;
}
