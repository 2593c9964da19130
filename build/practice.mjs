#!/usr/bin/env node
/**
 * `npm run practice`: from a fresh clone to the main job, with the practice agent. Job: set up, build, and start
 * one run in folders of its own, so that nothing of the user's is touched. It must not answer any question itself.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms, ensureModules, nodeTrouble, ROOT, run } from './setup.mjs';

const HOOKS = join(ROOT, 'examples', 'practice-hooks.json');
const COMMAND = join(ROOT, 'dist', 'cli', 'sallyport.mjs');

async function practise() {
  const trouble = nodeTrouble();
  if (trouble) {
    console.error(trouble);
    return 4;
  }
  const status = (await ensureModules()) || (await buildPrograms());
  if (status !== 0) {
    console.error('Setting up failed; what is above says why. Nothing was started.');
    return 4;
  }
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-practice-'));
  const state = join(folder, 'state');
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const env = { ...process.env, SALLYPORT_HOME: state };
  const args = ['run', '--agent', 'practice', '--workspace', workspace, '--hook', HOOKS, '--', 'Set the project up.'];
  console.error(`\nsallyport ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}\n`);
  const ended = await run(process.execPath, [COMMAND, ...args], { env });
  if (existsSync(join(state, 'runs')) && readdirSync(join(state, 'runs')).length > 0)
    console.error(`\nThe run is kept: SALLYPORT_HOME=${state} npm run --silent sallyport -- runs list`);
  return ended;
}

process.exitCode = await practise();
