#!/usr/bin/env node
/**
 * `npm run practice`: from a fresh clone to the main job, with the practice agent. Job: set up, build, and start
 * one run in folders of its own, so that nothing of the user's is touched. At a terminal it answers no question;
 * where there is none (a container, a pipe) it plays the person on a terminal of its own, and says so.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms, ensureModules, nodeTrouble, ROOT, run } from './setup.mjs';

const HOOKS = join(ROOT, 'examples', 'practice-hooks.json');
const COMMAND = join(ROOT, 'dist', 'cli', 'sallyport.mjs');

/** What the person of the demonstration types when these words stand on the screen. */
const ANSWERS = [
  { on: 'anything else leaves it inert: ', type: 'approve' },
  { on: 'n [why] = no > ', type: 'y' },
];

/** Longer than the moment in which the command takes no answer, in milliseconds. */
const READING_TIME = 1_500;

function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Runs the command on a terminal made by util-linux's `script`, and answers as a person would. */
function runAnswering(argv, env) {
  const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  console.error('There is no terminal here, so this demonstration answers in your place: "approve", then "y".\n');
  return new Promise((resolve) => {
    const child = spawn('script', ['-qfec', `exec ${line}`, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.on('error', (error) => {
      console.error(`util-linux's \`script\` could not be started (${error.message}); run this from a terminal.`);
      resolve(4);
    });
    let screen = '';
    let next = 0;
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      screen += chunk.toString('utf8');
      const answer = ANSWERS[next];
      if (answer === undefined || !screen.includes(answer.on)) return;
      next += 1;
      screen = '';
      setTimeout(() => child.stdin.write(`${answer.type}\r`), READING_TIME);
    });
    child.on('close', (code) => resolve(code ?? 70));
  });
}

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
  const ended = hasTerminal()
    ? await run(process.execPath, [COMMAND, ...args], { env })
    : await runAnswering([process.execPath, COMMAND, ...args], env);
  const [id] = existsSync(join(state, 'runs')) ? readdirSync(join(state, 'runs')) : [];
  if (id !== undefined) {
    console.error(`\nsallyport receipt verify ${id}\n`);
    await run(process.execPath, [COMMAND, 'receipt', 'verify', id], { env });
    console.error(`\nThe run is kept: SALLYPORT_HOME=${state} npm run --silent sallyport -- runs list`);
  }
  return ended;
}

process.exitCode = await practise();
