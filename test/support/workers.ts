/** The workers as the build makes them, for tests that run the sources. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll } from 'vitest';
import { removeFolder } from './folders.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Bundles the worker before this file's tests; within the repository, so that it finds its native package. */
export function bundledIndexWorker(): () => URL {
  return bundledWorker('store/index-worker');
}

/** The exit scan's. */
export function bundledScanWorker(): () => URL {
  return bundledWorker('scan/scan-worker');
}

function bundledWorker(source: string): () => URL {
  const name = `${path.basename(source)}.mjs`;
  let folder = '';
  beforeAll(async () => {
    const cache = path.join(ROOT, '.cache');
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(path.join(cache, 'worker-'));
    await build({
      root: ROOT,
      logLevel: 'silent',
      configFile: false,
      publicDir: false,
      ssr: { noExternal: true, external: ['libsql'] },
      build: {
        ssr: path.join(ROOT, `electron/core/${source}.ts`),
        target: 'node20.19',
        outDir: folder,
        minify: false,
        rolldownOptions: { external: ['libsql'], output: { entryFileNames: name } },
      },
    });
  });
  afterAll(() => removeFolder(folder));
  return () => pathToFileURL(path.join(folder, name));
}
