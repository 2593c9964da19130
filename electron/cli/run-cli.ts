/**
 * The `sallyport` command, without a process around it. Job: turn arguments into an exit code.
 * It must not read `process` itself: all it needs comes in by `io`.
 */
import { Command, CommanderError } from 'commander';
import { KNOWN_AGENTS } from '../core/agents/known-agents.js';
import packageJson from '../../package.json' with { type: 'json' };
import { addApprovalCommands } from './commands/approvals.js';
import { dispatch } from './commands/dispatch.js';
import { doctor } from './commands/doctor.js';
import { addHookCommands } from './commands/hook.js';
import { addReceiptCommands } from './commands/receipt.js';
import { run, type RunOptions } from './commands/run.js';
import { addRunsCommands } from './commands/runs.js';
import { commandContext, EXIT, type Act, type CliIo } from './context.js';
import { openOutlet, readerLeft, type Outlet } from './terminal/outlet.js';

/** Runs one command. `argv` holds only the command's own arguments; the answer is the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const voice = openVoice(io);
  let exitCode: number = EXIT.fine;
  const act: Act = async (command, perform) => {
    exitCode = await perform(commandContext(io, voice, command.optsWithGlobals()));
  };
  const program = describeProgram(voice, act);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return await codeWithOutput(argv, exitCode, voice.out);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    voice.err.write(`sallyport: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    voice.err.write('This is a fault of Sallyport; nothing was allowed because of it.\n');
    // An agent that called `dispatch` reads 2 as a denial; 70 would be a yes to some.
    return argv.includes('dispatch') ? EXIT.usage : EXIT.internal;
  }
}

interface Voice {
  readonly out: Outlet;
  readonly err: Outlet;
}

/** Standard output and error; that the first is lost is said on the second, unless its reader simply left. */
function openVoice(io: CliIo): Voice {
  const err = openOutlet(io.stderr);
  const out = openOutlet(io.stdout, (code) => {
    if (readerLeft(code)) return;
    err.write(
      `sallyport: standard output cannot be written (${code}); nothing more is printed there, and what is under way goes on. Free its disk or print elsewhere\n`,
    );
  });
  return { out, err };
}

/** The exit code where an answer could not be handed over: no agent may take silence for a yes, no script half a list for all. */
async function codeWithOutput(argv: readonly string[], exitCode: number, out: Outlet): Promise<number> {
  // The error of a last write comes with the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  const lost = out.lost();
  if (lost === null) return exitCode;
  if (argv.includes('dispatch')) return EXIT.usage;
  // A run is recorded whatever became of its lines, so its own code stands.
  const isRun = argv.includes('run');
  return exitCode === EXIT.fine && !isRun && !readerLeft(lost) ? EXIT.environment : exitCode;
}

function describeProgram(voice: Voice, act: Act): Command {
  const program = new Command('sallyport')
    .description('A gate you own for the coding agents that run on your machine.')
    .version(packageJson.version)
    .option('--state-dir <dir>', 'the state folder (else SALLYPORT_HOME, else the data folder of your account)')
    .option('--json', 'one JSON document instead of text (reading commands)')
    .exitOverride()
    .configureOutput({
      writeOut: voice.out.write,
      writeErr: voice.err.write,
    })
    .showHelpAfterError('(sallyport COMMAND --help says more)')
    .enablePositionalOptions();
  addRun(program, act);
  addRunsCommands(program, act);
  addHookCommands(program, act);
  addApprovalCommands(program, act);
  addReceiptCommands(program, act);
  program
    .command('doctor')
    .description('what is installed, what was measured, what is broken; starts no agent')
    .option('--profile <name>', 'look at this profile only')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: { profile?: string }, command: Command) => {
      await act(command, (context) => doctor(context, options));
    });
  program
    .command('dispatch <event>', { hidden: true })
    .description('answers one hook event of an agent; not for people')
    .requiredOption('--profile <name>')
    .action(async (event: string, options: { profile: string }, command: Command) => {
      await act(command, (context) => dispatch(context, event, options.profile));
    });
  return program;
}

const RUN_HELP = `
A prompt that begins with "-" needs "--" before it: sallyport run --agent practice -- "- tidy up"
A prompt has a limit of 128 KiB (Linux); put long text into a file in the workspace and name that file in the prompt.`;

function addRun(program: Command, act: Act): void {
  const repeat = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];
  program
    .command('run [prompt...]')
    .description('one run in this terminal: live lines, questions asked here, exit code of the outcome')
    .option('--profile <name>', 'the profile (each agent has one of its name)')
    .option('--agent <name>', `the agent: ${KNOWN_AGENTS.map((adapter) => adapter.name).join(', ')}`)
    .option('--workspace <dir>', 'the folder to work in (else this one)')
    .option('--backend <name>', 'where it runs: local')
    .option(
      '--bypass <level>',
      "how far the agent's own permission prompts are stepped out of: none, enable, activate, no_sandbox",
    )
    .option('--hook <file>', 'a hook document for this run only; may be given again', repeat)
    .option('--approve <digest>', 'a whole digest that you looked at before; may be given again', repeat)
    .option(
      '--workspace-config <how>',
      "the agent's configuration that the workspace brings: exclude (the default), or approve (you are asked)",
    )
    .option('--accept-gaps', 'run although a blocking hook never runs on this agent')
    .addHelpText('after', RUN_HELP)
    .showHelpAfterError(
      '(a prompt that begins with "-" stands after "--": sallyport run -- "-…"; sallyport run --help says more)',
    )
    .action(async (words: string[], options: RunOptions, command: Command) => {
      await act(command, (context) => run(context, words.join(' '), options));
    });
}
