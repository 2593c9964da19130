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

/** Its script only starts the native program of the platform's package, which comes with it. */
const CODEX_PACKAGE = '@openai/codex';
const CODEX_NATIVE = '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl';

/** Version -> SHA-256 of each file of it that can run. */
const CODEX = {
  '0.171.0': {
    [`${CODEX_NATIVE}/bin/codex`]: 'b76a027d6b210f9a8da7aaf321dd235c700f0ef7a794d4a5314b9af6c134f0f0',
    [`${CODEX_NATIVE}/bin/codex-code-mode-host`]: 'f49bd4f0c0cc73cf1ec3a719009e07ce5b6e100520d023c760cc203fb37e5c6f',
    [`${CODEX_NATIVE}/codex-resources/bwrap`]: '91a245ea678a7ae642f383a22576c3c476d0d6d3e2321a553f3ed8d4d487ed74',
    '@openai/codex/bin/codex.js': '0e0c66f50074965a40cbd12f625b0a35963baf41bbd8c201a93e32fddbe2e073',
  },
};

/** The versions of Claude Code that the contract tests run, newest first. */
export const CLAUDE_CODE_VERSIONS = Object.keys(CLAUDE_CODE);
/** The same for Codex. */
export const CODEX_VERSIONS = Object.keys(CODEX);

/** What to install of an agent's version: the npm package, and the digest of each file in `node_modules` that is relied on. */
function claudeCode(version) {
  const files = { [`${CLAUDE_PACKAGE}/claude`]: CLAUDE_CODE[version] };
  return {
    title: `Claude Code ${version}`,
    name: `claude-code-${version}`,
    spec: `${CLAUDE_PACKAGE}@${version}`,
    files,
  };
}

function codex(version) {
  return {
    title: `Codex ${version}`,
    name: `codex-${version}`,
    spec: `${CODEX_PACKAGE}@${version}`,
    files: CODEX[version],
  };
}

/** Absolute path of the installed program. Throws, saying what to do, when it is not installed. */
export function claudeCodeProgram(version) {
  return installed(claudeCode(version), `${CLAUDE_PACKAGE}/claude`);
}

/** Absolute path of the script that npm puts on PATH as `codex`. Throws, saying what to do, when it is not installed. */
export function codexScript(version) {
  return installed(codex(version), '@openai/codex/bin/codex.js');
}

/** Absolute path of the native program that the script starts. */
export function codexProgram(version) {
  return installed(codex(version), `${CODEX_NATIVE}/bin/codex`);
}

function installed(agent, file) {
  const path = join(folderOf(agent), 'node_modules', file);
  if (!existsSync(path) || readMark(agent) !== markOf(agent)) {
    throw new Error(`${agent.title} is not in ${CACHE_FOLDER}; run: node test/support/agents.mjs`);
  }
  return path;
}

function folderOf({ name }) {
  return join(CACHE_FOLDER, 'agents', name);
}

/** The digests that were found when an agent was installed; hashing 400 MB before every test file would be waste. */
function markOf({ files }) {
  return Object.values(files).join('\n');
}

function readMark(agent) {
  try {
    return readFileSync(join(folderOf(agent), 'sha256'), 'utf8').trim();
  } catch {
    return null;
  }
}

async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Installs an agent unless the checked one is there. Builds beside and renames, so that a half install is never found. */
async function install(agent) {
  const folder = folderOf(agent);
  const names = Object.keys(agent.files);
  const paths = names.map((name) => join(folder, 'node_modules', name));
  if (readMark(agent) === markOf(agent) && paths.every((path) => existsSync(path))) return folder;
  const fresh = `${folder}.new-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    writeFileSync(join(fresh, 'package.json'), '{"private":true}\n');
    const npm = spawnSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', agent.spec],
      { cwd: fresh, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    if (npm.status !== 0) throw new Error(`npm could not install ${agent.spec}`);
    for (const name of names) {
      const digest = await sha256(join(fresh, 'node_modules', name));
      if (digest === agent.files[name]) continue;
      throw new Error(`${name} of ${agent.spec} has SHA-256 ${digest}, not ${agent.files[name]}; not used`);
    }
    writeFileSync(join(fresh, 'sha256'), `${markOf(agent)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

if (process.argv[1] !== undefined && import.meta.filename === process.argv[1]) {
  for (const agent of [...CLAUDE_CODE_VERSIONS.map(claudeCode), ...CODEX_VERSIONS.map(codex)]) {
    process.stdout.write(`${agent.title}: ${await install(agent)}\n`);
  }
}
