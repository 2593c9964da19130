/** The command shows the findings that the window shows. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../../../electron/cli/run-cli.js';
import { bundledPracticeAgent, newDesk } from '../../support/desk.js';

const agent = bundledPracticeAgent();

it.each([
  ['before', ['--json', 'doctor']],
  ['after', ['doctor', '--json']],
])('the doctor takes --json %s its name, and finds what the window shows', async (_where, args) => {
  const them = await newDesk(agent());
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const argv = ['--state-dir', them.state.dir, ...args];
  expect(await runCli(argv, { stdin: new PassThrough(), stdout, stderr, env: them.deps.userEnv })).toBe(1);
  const { findings } = JSON.parse(String(stdout.read())) as { findings: { section: string; text: string }[] };
  const windowed = await them.ask('doctor.run', null);
  const common = ['state', 'path', 'launcher', 'agents', 'hooks', 'backends', 'receipts'];
  const only = (list: readonly { section: string }[]) => list.filter((one) => common.includes(one.section));
  expect(only(findings)).toEqual(only(windowed));
  expect(windowed.find((one) => one.section === 'keychain')?.text).toBe('there is no session bus here');
});
