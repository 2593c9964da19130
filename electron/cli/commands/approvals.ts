import type { Command } from 'commander';
import type { SignedApprovals } from '../../core/approvals/signed-store.js';
import { isInsideRun } from '../../core/spawn/run-marker.js';
import type { StateFolder } from '../../core/store/layout.js';
import { openApprovals } from '../approval-store.js';
import { EXIT, stateOf, type Act, type CommandContext } from '../context.js';
import { openTerminal } from '../terminal/terminal.js';
import { approveSubject, isDigest, revokeSubject, type ApproveOptions } from './approvals-change.js';
import { listApprovals, pendingApprovals, showApproval } from './approvals-read.js';
import type { SubjectOptions } from './approvals-subjects.js';

/** `sallyport approvals …` */
export function addApprovalCommands(program: Command, act: Act): void {
  const approvals = program.command('approvals').description('what may run: what was approved, and what waits');
  approvals
    .command('list')
    .description('what is approved')
    .option('--json', 'one JSON document instead of text')
    .action(async (_options: object, command: Command) => {
      await act(command, (context) =>
        withStore(context, false, (_state, store) => Promise.resolve(listApprovals(context, store))),
      );
    });
  withPlace(approvals.command('pending'))
    .description('what the next runs would ask about')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: SubjectOptions, command: Command) => {
      await act(command, (context) =>
        withStore(context, false, (state, store) => pendingApprovals(context, state, store, options)),
      );
    });
  withPlace(approvals.command('show <id>'))
    .description('one of them, with what was approved under its name')
    .option('--json', 'one JSON document instead of text')
    .action(async (id: string, options: SubjectOptions, command: Command) => {
      await act(command, (context) =>
        withStore(context, false, (state, store) => showApproval(context, state, store, id, options)),
      );
    });
  addApprove(approvals, act);
  approvals
    .command('revoke <id>')
    .description('takes an approval back; what it was for does not run from the next boundary on')
    .option('--digest <digest>', 'only this one of it')
    .action(async (id: string, options: { digest?: string }, command: Command) => {
      await act(command, (context) => {
        if (isInsideRun()) return insideRun(context);
        if (badDigest(context, options.digest)) return Promise.resolve(EXIT.usage);
        return withStore(context, true, (_state, store) => revokeSubject(context, store, id, options));
      });
    });
}

/** The `approve` command below another one; `kind` narrows it to one kind of subject. */
export function addApprove(parent: Command, act: Act, kind?: ApproveOptions['kind']): void {
  withPlace(parent.command('approve <id>'))
    .description('lets exactly this run, as long as it stays as it is; asks at the terminal without a digest')
    .option('--digest <digest>', 'the whole digest of what you looked at')
    .action(async (id: string, options: ApproveOptions, command: Command) => {
      await act(command, (context) => approve(context, id, kind === undefined ? options : { ...options, kind }));
    });
}

function withPlace(command: Command): Command {
  return command
    .option('--profile <name>', 'of this profile only (else of each agent’s own)')
    .option('--workspace <dir>', 'as hooks would run in this folder (else this one)');
}

async function approve(context: CommandContext, id: string, options: ApproveOptions): Promise<number> {
  if (isInsideRun()) return insideRun(context);
  if (badDigest(context, options.digest)) return EXIT.usage;
  const terminal = options.digest === undefined ? openTerminal() : null;
  try {
    return await withStore(context, terminal !== null, (state, store) =>
      approveSubject(context, state, store, terminal, id, options),
    );
  } finally {
    terminal?.close();
  }
}

function insideRun({ err }: CommandContext): Promise<number> {
  err('sallyport: inside a run nothing is approved or taken back; do it from your own terminal.\n');
  return Promise.resolve(EXIT.refused);
}

function badDigest({ err }: CommandContext, digest: string | undefined): boolean {
  if (digest === undefined || isDigest(digest)) return false;
  err(`sallyport: --digest takes a whole digest (sha256: and 64 hex digits), not ${JSON.stringify(digest)}\n`);
  return true;
}

async function withStore(
  context: CommandContext,
  patient: boolean,
  work: (state: StateFolder, store: SignedApprovals) => Promise<number>,
): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const { store, close } = openApprovals(context, state.value, { patient });
  try {
    await store.refresh();
    return await work(state.value, store);
  } finally {
    await close();
  }
}
