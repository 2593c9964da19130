#!/usr/bin/env node
/**
 * Finds an Electron to run and to package with. Job: the project's own Electron where it can be had,
 * else a stand-in for tests and for trying out, and to say plainly which of the two it is.
 * It must not let a stand-in be taken for something to ship.
 *
 *   node build/electron-runtime.mjs    the last line is the path of the program
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cache.mjs';
import { ensureStandIn, STAND_IN } from './electron-stand-in.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** A download of some 120 MB on a slow line; a closed network answers at once. */
const DOWNLOAD_LIMIT_MS = 180_000;

/**
 * @typedef {object} Runtime
 * @property {'installed' | 'downloaded' | 'stand-in'} kind
 * @property {string} version
 * @property {string} program absolute path
 * @property {string} distFolder what ELECTRON_OVERRIDE_DIST_PATH takes
 * @property {string | null} zipFolder for packaging; null where the packager gets its own
 * @property {string} says one line for people
 */

function electronPackage() {
  const folder = dirname(createRequire(join(ROOT, 'package.json')).resolve('electron/package.json'));
  return { folder, version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version };
}

/** The program inside the `electron` package, or null when it was never downloaded. */
function installedProgram(folder) {
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const program = join(folder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(program) ? program : null;
}

/** Runs the package's own download. Resolves to null when it worked, else to why not. */
function download(folder) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), DOWNLOAD_LIMIT_MS);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (status === 0) resolve(null);
      else if (signal) resolve(`no end after ${DOWNLOAD_LIMIT_MS / 1000} s`);
      else resolve(stderr.split('\n')[0] || `status ${status}`);
    });
  });
}

/**
 * Finds a runtime: the installed one, else its download, else the stand-in. Throws when none can be had.
 * @param {{ log?: (line: string) => void, env?: Record<string, string | undefined> }} [options]
 * @returns {Promise<Runtime>}
 */
export async function resolveElectron(options = {}) {
  const { log = console.error, env = process.env } = options;
  const { folder, version } = electronPackage();
  const own = (kind, program) => ({
    kind,
    version,
    program,
    distFolder: join(folder, 'dist'),
    zipFolder: null,
    says: `Electron ${version}, the project's own (${kind})`,
  });

  const installed = installedProgram(folder);
  if (installed) return own('installed', installed);

  const cache = cacheFolder(env);
  // A network that was closed to the download a moment ago is not asked again for each test.
  const remembered = existsSync(join(cache, STAND_IN.folder, 'run'));
  if (!remembered) {
    const trouble = await download(folder);
    const downloaded = trouble === null ? installedProgram(folder) : null;
    if (downloaded) return own('downloaded', downloaded);
    log(`Electron ${version} could not be downloaded (${trouble ?? 'nothing was unpacked'}).`);
  }
  const standIn = await ensureStandIn({ cache, root: ROOT, log });
  return {
    kind: 'stand-in',
    version: STAND_IN.version,
    ...standIn,
    says: `Electron ${STAND_IN.version}, a stand-in for tests and trying out (not ${version}; never to be shipped)`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const runtime = await resolveElectron();
    console.error(`runtime: ${runtime.says}`);
    console.log(runtime.program);
  } catch (error) {
    console.error(`no Electron: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 4;
  }
}
