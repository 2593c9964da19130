#!/usr/bin/env node
/**
 * Bundles the programs of the product into `dist/`, and the window's pages beside them. Job: one self-contained
 * folder per program, for Node 20.
 * It must not decide what is packaged (forge.config.ts) nor download anything.
 *
 *   node build/bundle.mjs            with source maps
 *   node build/bundle.mjs --release  without
 */
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { ENTRIES, NATIVE_PACKAGES } from './entries.mjs';
import { buildPages } from './pages.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Vite's configuration of one program. */
function configOf(entry, outDir, release) {
  return {
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    // Everything but native packages goes in: the packaged app has no node_modules beside those.
    ssr: { noExternal: true, external: ['electron', ...NATIVE_PACKAGES] },
    build: {
      ssr: join(ROOT, entry.source),
      target: 'node20.19',
      outDir,
      emptyOutDir: true,
      sourcemap: !release,
      // Readable stack traces are worth more here than bytes.
      minify: false,
      rolldownOptions: {
        external: ['electron', ...NATIVE_PACKAGES],
        output: {
          format: entry.file.endsWith('.cjs') ? 'cjs' : 'esm',
          entryFileNames: entry.file,
          // Chunks lie beside their entry, so `new URL('../worker/…', import.meta.url)` means the same in each.
          chunkFileNames: '[name]-[hash].mjs',
        },
      },
    },
  };
}

/** Makes a built file startable by its name. */
async function makeCommand(file) {
  const text = await readFile(file, 'utf8');
  // The bundler keeps a source's own first line; this is for sources without one.
  if (!text.startsWith('#!')) await writeFile(file, `#!/usr/bin/env node\n${text}`);
  await chmod(file, 0o755);
}

/** Builds the pages of the window, which are files to be served rather than a program. */
async function bundlePages({ release, log }) {
  const started = performance.now();
  await buildPages({ release });
  log(`  dist/renderer  ${Math.round(performance.now() - started)} ms`);
}

/**
 * Builds the programs whose sources exist. Throws when a required source is missing or does not build.
 * @param {{ release?: boolean, log?: (line: string) => void }} [options]
 * @returns {Promise<string[]>} absolute paths of the entry files
 */
export async function bundle(options = {}) {
  const { release = false, log = console.error } = options;
  const made = [];
  for (const entry of ENTRIES) {
    const started = performance.now();
    const outDir = join(ROOT, 'dist', entry.name);
    if (!existsSync(join(ROOT, entry.source))) {
      if (entry.required) throw new Error(`the source of dist/${entry.name} is missing: ${entry.source}`);
      // A left-over of an earlier build would be taken for this one's.
      await rm(outDir, { recursive: true, force: true });
      log(`  dist/${entry.name}  left out: ${entry.source} does not exist`);
      continue;
    }
    await build(configOf(entry, outDir, release));
    const file = join(outDir, entry.file);
    if (entry.command) await makeCommand(file);
    const kib = Math.round((await stat(file)).size / 1024);
    log(`  dist/${entry.name}/${entry.file}  ${kib} KiB, ${Math.round(performance.now() - started)} ms`);
    made.push(file);
  }
  await bundlePages({ release, log });
  return made;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await bundle({ release: process.argv.includes('--release') });
  } catch (error) {
    console.error(`build failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
