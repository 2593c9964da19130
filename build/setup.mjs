/**
 * Sets a fresh clone up. Job: check Node, install the packages where they are missing or out of date, build.
 * It runs before anything is installed, so it must import nothing but Node's own modules.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Runs a program in the repository with the terminal handed on.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string }} [options]
 * @returns {Promise<number>} its exit status; 127 when it cannot be started, 128 and more after a signal
 */
export function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: options.cwd ?? ROOT, env: options.env ?? process.env, stdio: 'inherit' });
    // A terminal interrupts the child too; its end is waited for.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const done = (status) => {
      process.off('SIGINT', ignore);
      resolve(status);
    };
    child.on('error', (error) => {
      console.error(`${program} could not be started: ${error.message}`);
      done(127);
    });
    child.on('close', (status) => done(status ?? 128));
  });
}

/** Null when this Node fits `engines` of package.json, else what is wrong and what to do. */
export function nodeTrouble(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return fits ? null : `This is Node ${version}; Sallyport needs 20.19 or newer of 20, or 22.12 or newer. Install one.`;
}

/** Whether node_modules holds what the lock file asks for, by npm's own record of what it installed. */
export function modulesAreCurrent(root = ROOT) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    // Packages for other platforms are not installed.
    if (!installed[path]) return optional === true || devOptional === true;
    return installed[path].version === version;
  });
}

/** Installs the packages unless they are there. Answers npm's exit status. */
export async function ensureModules() {
  if (modulesAreCurrent()) return 0;
  console.error('installing packages (npm ci) …');
  return run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Builds the programs into dist/. Answers an exit status. */
export function buildPrograms() {
  return run(process.execPath, ['build/bundle.mjs']);
}
