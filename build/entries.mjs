/**
 * What the build makes and what it leaves outside. Job: one list, read by the bundler and by packaging.
 * It must not do anything.
 */

/**
 * Programs of the product, each one self-contained folder below `dist/`.
 * `required: false` is for a program whose source is not there yet; a required one that is missing fails the build.
 */
export const ENTRIES = [
  { name: 'cli', source: 'electron/cli/sallyport.ts', file: 'sallyport.mjs', command: true, required: true },
  { name: 'main', source: 'electron/main/index.ts', file: 'index.mjs', command: false, required: true },
  {
    name: 'worker',
    source: 'electron/core/store/index-worker.ts',
    file: 'index-worker.mjs',
    command: false,
    required: true,
  },
  {
    name: 'scan',
    source: 'electron/core/scan/scan-worker.ts',
    file: 'scan-worker.mjs',
    command: false,
    required: true,
  },
  {
    name: 'practice',
    source: 'electron/practice/practice-main.ts',
    file: 'practice-agent.mjs',
    command: true,
    required: true,
  },
  {
    name: 'keychain',
    source: 'electron/keychain/helper-main.ts',
    file: 'keychain-helper.mjs',
    command: true,
    required: true,
  },
  {
    name: 'preload',
    source: 'electron/preload/index.ts',
    // A sandboxed preload is one CommonJS file.
    file: 'preload.cjs',
    command: false,
    required: true,
  },
];

/** Packages with native code: never bundled, so they are the only ones that the packaged app takes from node_modules. */
export const NATIVE_PACKAGES = ['libsql', 'keytar'];
