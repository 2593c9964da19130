/** Questions to an agent's own program before its run, put through the real seam to real programs. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentAdapter, CompileInput, PreparationStep } from '../../../electron/core/agents/contract.js';
import { practice } from '../../../electron/core/agents/practice.js';
import { prepareAgent } from '../../../electron/core/runs/preparation.js';
import type { LaunchRequest } from '../../../electron/core/runs/request.js';
import type { ApprovalProof } from '../../../electron/core/spawn/request.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { removeFolder } from '../../support/folders.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-ask-'));
});
afterEach(() => removeFolder(root));

/** Asks `sh -c SCRIPT` until this many answers are there. */
function prepare(script: string, answers = 1, approved = true) {
  const next = ({ learned }: CompileInput): PreparationStep =>
    learned.length === answers
      ? { step: 'ready', findings: [] }
      : {
          step: 'ask',
          question: {
            what: 'what it is',
            argv: ['-c', script],
            lines: ['one', `question ${learned.length}`],
            isComplete: (lines) => lines.includes('end'),
          },
        };
  const adapter: AgentAdapter = { ...practice, prepare: next };
  const agent = {
    program: '/bin/sh',
    prefix: [],
    files: [],
    digest: '',
    env: { PATH: '/usr/bin:/bin', GIVEN: 'this' },
  };
  return prepareAgent(
    { adapter, workspace: root } as unknown as LaunchRequest,
    { seam: createSeam({ approvals: () => approved }) },
    { runId: 'run_x', agent, proof: {} as ApprovalProof },
    {} as Omit<CompileInput, 'learned'>,
  );
}

it('each answer is a whole text, from a program in the workspace with the environment of the run', async () => {
  const said = await prepare('read a; read b; echo "$a, $b in $PWD, $GIVEN"; echo end; cat >/dev/null', 2);
  expect(said).toEqual({
    ok: true,
    value: {
      learned: [0, 1].map((n) => `one, question ${n} in ${root}, this\nend`),
      findings: [],
    },
  });
});

it('a program that goes without an answer is an error that says what it said', async () => {
  const said = await prepare('echo broken >&2; exit 3');
  expect(said.ok === false && said.error).toContain('what it is: it ended without an answer (broken)');
});

it('one that stays after its answer is ended', async () => {
  const said = await prepare(`echo $$ > '${root}/pid'; echo end; exec sleep 3600`);
  expect(said.ok).toBe(true);
  expect(existsSync(`/proc/${readFileSync(join(root, 'pid'), 'utf8').trim()}`)).toBe(false);
});

it('without an approval nothing is started', async () => {
  const said = await prepare(`touch '${root}/started'; echo end`, 1, false);
  expect(said.ok === false && said.error).toContain('No approval covers this start');
  expect(existsSync(join(root, 'started'))).toBe(false);
});

it('an adapter that never has enough is a mistake', async () => {
  await expect(prepare('echo end', 99)).rejects.toThrow('without end');
});

it('an agent that needs no question is not asked', async () => {
  const request = { adapter: practice, workspace: root } as unknown as LaunchRequest;
  const start = {} as Parameters<typeof prepareAgent>[2];
  const seam = createSeam({ approvals: () => false });
  expect(await prepareAgent(request, { seam }, start, {} as Omit<CompileInput, 'learned'>)).toEqual({
    ok: true,
    value: { learned: [], findings: [] },
  });
});
