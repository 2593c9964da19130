/** Packages the app once for all tests of this folder, the way a release is packaged. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the packaged app. */
    readonly appFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const made = await execa('npx', ['--no-install', 'electron-forge', 'package'], {
    cwd: root,
    reject: false,
    all: true,
  });
  if (made.exitCode !== 0) throw new Error(`packaging failed (${String(made.exitCode)}):\n${made.all}`);
  project.provide('appFolder', `${root}out/Sallyport-${process.platform}-${process.arch}`);
}
