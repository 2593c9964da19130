/**
 * Where the program is that really runs. npm installs a script that only finds and starts a native program;
 * what a person approves, and what is started, is that program. Pure: names places, reads none.
 */
import { dirname, join } from 'node:path';
import type { ProgramBehind } from '../contract.js';

/** The package and folder of each platform, as the script of 0.171.0 itself names them. */
const TARGETS: Readonly<Record<string, readonly [pkg: string, triple: string]>> = {
  'linux x64': ['codex-linux-x64', 'x86_64-unknown-linux-musl'],
  'linux arm64': ['codex-linux-arm64', 'aarch64-unknown-linux-musl'],
  'darwin x64': ['codex-darwin-x64', 'x86_64-apple-darwin'],
  'darwin arm64': ['codex-darwin-arm64', 'aarch64-apple-darwin'],
};

/** Beside the native program: what it starts of its own package (the sandbox, the JavaScript host, the search). */
const BESIDE = ['bin/codex-code-mode-host', 'codex-resources/bwrap', 'codex-path/rg'];

/** The places where the native program may be for what was found on PATH; null when that is the program itself. */
export function programBehind(found: string, platform = `${process.platform} ${process.arch}`): ProgramBehind | null {
  if (!found.endsWith('/bin/codex.js')) return filesOf(found);
  const target = TARGETS[platform];
  if (target === undefined) return { programs: [], files: [] };
  const [pkg, triple] = target;
  const root = dirname(dirname(found));
  const vendors = [
    join(root, 'node_modules', '@openai', pkg, 'vendor'),
    join(dirname(root), pkg, 'vendor'),
    join(root, 'vendor'),
  ];
  return {
    programs: vendors.map((vendor) => join(vendor, triple, 'bin', 'codex')),
    files: BESIDE.map((file) => `../${file}`),
  };
}

/** A native program that was found directly, in the layout of the packages. */
function filesOf(found: string): ProgramBehind {
  return { programs: [found], files: BESIDE.map((file) => `../${file}`) };
}
