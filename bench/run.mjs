#!/usr/bin/env node
/**
 * `npm run bench [NAME…]`: bundles the benches and runs them one after the other. Figures are reported,
 * never asserted; run it on an idle machine.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const all = readdirSync(HERE).flatMap((file) =>
  file.endsWith('.ts') && file !== 'table.ts' ? [file.slice(0, -3)] : [],
);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}; there are: ${all.join(', ')}`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : all) {
  const outDir = join(ROOT, 'dist', 'bench', name);
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(HERE, `${name}.ts`),
      target: 'node20.19',
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { output: { format: 'esm', entryFileNames: 'bench.mjs' } },
    },
  });
  const ended = spawnSync(process.execPath, [join(outDir, 'bench.mjs')], { stdio: 'inherit', cwd: ROOT });
  if (ended.status !== 0) process.exitCode = 1;
}
