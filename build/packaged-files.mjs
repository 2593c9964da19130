/**
 * What of this folder goes into the packaged app. Job: a list of what goes in, so that nothing gets in by accident.
 * It must not copy anything.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NATIVE_PACKAGES } from './entries.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const LIBC = { linux: '-gnu', win32: '-msvc', darwin: '' };

/** Needed only where a native package is compiled, which is not done here. */
const NOT_SHIPPED = new Set(['node-addon-api']);

/** Of keytar go in what runs, and the binary of this platform alone. */
const KEYTAR = 'node_modules/keytar';
const KEYTAR_FILES = ['package.json', 'LICENSE.md', 'lib', `prebuilds/${process.platform}-${process.arch}`].map(
  (name) => `${KEYTAR}/${name}`,
);

/** Optional packages for other platforms are installed too where npm cannot tell the C library apart. */
function isForThisPlatform(name) {
  if (!name.startsWith('@libsql/')) return true;
  return name === `@libsql/${process.platform}-${process.arch}${LIBC[process.platform] ?? ''}`;
}

function descriptionOf(name, from) {
  // Not by resolving `name/package.json`: a package may not export it.
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    try {
      const file = join(folder, name, 'package.json');
      return { file, ...JSON.parse(readFileSync(file, 'utf8')) };
    } catch {
      // The next folder up may have it.
    }
  }
  return null;
}

/** Folders of the native packages and of all that they need, below node_modules. Throws when one is not installed. */
function packageFolders() {
  const folders = new Set();
  const visit = (name, from, optional) => {
    if (!isForThisPlatform(name) || NOT_SHIPPED.has(name)) return;
    const description = descriptionOf(name, from);
    if (!description) {
      if (optional) return;
      throw new Error(`${name} is not installed; run npm ci`);
    }
    const folder = relative(ROOT, dirname(description.file)).split(sep).join('/');
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const next of Object.keys(description.dependencies ?? {})) visit(next, description.file, false);
    for (const next of Object.keys(description.optionalDependencies ?? {})) visit(next, description.file, true);
  };
  for (const name of NATIVE_PACKAGES) visit(name, join(ROOT, 'package.json'), false);
  return folders;
}

const PACKAGES = packageFolders();
const WANTED = [
  ...['package.json', 'LICENSE', 'dist'],
  ...[...PACKAGES].flatMap((folder) => (folder === KEYTAR ? KEYTAR_FILES : [folder])),
];

/**
 * Whether a path goes into the package. Folders on the way to something wanted do.
 * @param {string} path from the root, beginning with `/`; empty for the root itself
 */
export function isPackaged(path) {
  const name = path.replace(/^\//, '');
  if (name === '' || name.endsWith('.map')) return name === '';
  return WANTED.some((wanted) => name === wanted || name.startsWith(`${wanted}/`) || wanted.startsWith(`${name}/`));
}
