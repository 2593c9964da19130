/**
 * Builds the pages of the window. Job: static files in `dist/renderer`, nothing inline, so that the strictest
 * Content-Security-Policy holds. It must not put the nonce in: whoever serves the page does, per answer.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @returns {import('vite').InlineConfig} */
function configOf(outDir, release) {
  return {
    root: join(ROOT, 'renderer'),
    configFile: false,
    // Relative, so that it does not matter under which scheme and host the pages are served.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'chrome130',
      sourcemap: !release,
      // Every file is a file: `img-src` and `font-src` stay narrow.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Read from the disk, not from a network.
      chunkSizeWarningLimit: 2_000,
    },
  };
}

/**
 * Builds them, always as they are shipped. Throws when they do not build.
 * @param {{ release?: boolean, outDir?: string }} [options]
 */
export async function buildPages({ release = false, outDir = join(ROOT, 'dist', 'renderer') } = {}) {
  // A test runner's environment would choose React's development form, and another layout of its lists.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build(configOf(outDir, release));
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}
