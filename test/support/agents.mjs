#!/usr/bin/env node
/**
 * The real agent programs that the end-to-end tests start: installs them into a named cache folder
 * and checks them by SHA-256. `node test/support/agents.mjs` installs what is missing and prints
 * the paths; as a module it only says where they are.
 * The cache folder: SALLYPORT_CACHE, else ~/.cache/sallyport.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const CACHE_FOLDER = process.env['SALLYPORT_CACHE'] ?? join(homedir(), '.cache', 'sallyport');

const CLAUDE_PACKAGE = '@anthropic-ai/claude-code-linux-x64';

/** Version -> SHA-256 of the program file inside the package. */
const CLAUDE_CODE = {
  '2.1.332': 'a2df1f41bb00250992926420d0063f89b127cb81abdd284dbefb80c50ff1d026',
  '2.1.197': 'f54e69cbc89b2da61a415700af7ff52a147e862517d4f1b0eecf768448cf7f83',
};

/** The versions of Claude Code that the contract tests run, newest first. */
export const CLAUDE_CODE_VERSIONS = Object.keys(CLAUDE_CODE);

function folderOf(version) {
  return join(CACHE_FOLDER, 'agents', `claude-code-${version}`);
}

/** Absolute path of the installed program. Throws, saying what to do, when it is not installed. */
export function claudeCodeProgram(version) {
  const program = join(folderOf(version), 'node_modules', CLAUDE_PACKAGE, 'claude');
  if (!existsSync(program) || readMark(version) !== CLAUDE_CODE[version]) {
    throw new Error(`Claude Code ${version} is not in ${CACHE_FOLDER}; run: node test/support/agents.mjs`);
  }
  return program;
}

/** The digest that was found when the program was installed; hashing 400 MB before every test file would be waste. */
function readMark(version) {
  try {
    return readFileSync(join(folderOf(version), 'sha256'), 'utf8').trim();
  } catch {
    return null;
  }
}

async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Installs one version unless the checked one is there. Builds beside and renames, so that a half install is never found. */
async function installClaudeCode(version) {
  const folder = folderOf(version);
  const program = join(folder, 'node_modules', CLAUDE_PACKAGE, 'claude');
  if (readMark(version) === CLAUDE_CODE[version] && existsSync(program)) return program;
  const fresh = `${folder}.new-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    writeFileSync(join(fresh, 'package.json'), '{"private":true}\n');
    const npm = spawnSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', `${CLAUDE_PACKAGE}@${version}`],
      { cwd: fresh, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    if (npm.status !== 0) throw new Error(`npm could not install ${CLAUDE_PACKAGE}@${version}`);
    const digest = await sha256(join(fresh, 'node_modules', CLAUDE_PACKAGE, 'claude'));
    if (digest !== CLAUDE_CODE[version]) {
      throw new Error(`${CLAUDE_PACKAGE}@${version} has SHA-256 ${digest}, not ${CLAUDE_CODE[version]}; not used`);
    }
    writeFileSync(join(fresh, 'sha256'), `${digest}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return program;
}

if (process.argv[1] !== undefined && import.meta.filename === process.argv[1]) {
  for (const version of CLAUDE_CODE_VERSIONS) {
    process.stdout.write(`claude-code ${version}: ${await installClaudeCode(version)}\n`);
  }
}
