/** Makes a copy of the packaged app whose command is the scripted one; all else is the product's own. */
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackage } from '@electron/asar';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Probe {
  readonly folder: string;
  readonly command: string;
  remove(): Promise<void>;
}

export async function makeProbe(appFolder: string): Promise<Probe> {
  const work = await mkdtemp(join(tmpdir(), 'sallyport-probe-'));
  const source = join(work, 'source');
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'scripted-command',
        enforce: 'pre',
        resolveId: (id: string) =>
          id.endsWith('/cli/run-cli.js') ? join(ROOT, 'test/packaging/scripted-cli.ts') : undefined,
      },
    ],
    ssr: { noExternal: true, external: ['electron'] },
    build: {
      ssr: join(ROOT, 'electron/main/index.ts'),
      outDir: source,
      rolldownOptions: { external: ['electron'], output: { format: 'esm', entryFileNames: 'index.mjs' } },
    },
  });
  const description = {
    name: 'sallyport',
    productName: 'Sallyport',
    version: '0.0.0',
    type: 'module',
    main: 'index.mjs',
  };
  await mkdir(source, { recursive: true });
  await writeFile(join(source, 'package.json'), JSON.stringify(description));
  const folder = join(work, 'app');
  await cp(appFolder, folder, { recursive: true });
  await createPackage(source, join(folder, 'resources', 'app.asar'));
  // Another user must be able to start it.
  await chmod(work, 0o755);
  return {
    folder,
    command: join(folder, 'resources', 'bin', 'sallyport'),
    remove: () => rm(work, { recursive: true, force: true }),
  };
}
