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
import { run, type RunOptions } from './commands/run.js';
import { addRunsCommands } from './commands/runs.js';
import { commandContext, EXIT, type Act, type CliIo } from './context.js';

/** Runs one command. `argv` holds only the command's own arguments; the answer is the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.fine;
  const act: Act = async (command, perform) => {
    exitCode = await perform(commandContext(io, command.optsWithGlobals()));
  };
  const program = describeProgram(io, act);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    io.stderr.write(`sallyport: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    io.stderr.write('This is a fault of Sallyport; nothing was allowed because of it.\n');
    // An agent that called `dispatch` reads 2 as a denial; 70 would be a yes to some.
    return argv.includes('dispatch') ? EXIT.usage : EXIT.internal;
  }
}

function describeProgram(io: CliIo, act: Act): Command {
  const program = new Command('sallyport')
    .description('A gate you own for the coding agents that run on your machine.')
    .version(packageJson.version)
    .option('--state-dir <dir>', 'the state folder (else SALLYPORT_HOME, else the data folder of your account)')
    .option('--json', 'one JSON document instead of text (reading commands)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(sallyport COMMAND --help says more)')
    .enablePositionalOptions();
  addRun(program, act);
  addRunsCommands(program, act);
  addHookCommands(program, act);
  addApprovalCommands(program, act);
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

function addRun(program: Command, act: Act): void {
  const repeat = (value: string, before: string[]) => [...before, value];
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
    .option('--hook <file>', 'a hook document for this run only; may be given again', repeat, [])
    .option('--approve <digest>', 'a whole digest that you looked at before; may be given again', repeat, [])
    .option('--accept-gaps', 'run although a blocking hook never runs on this agent')
    .action(async (words: string[], options: RunOptions, command: Command) => {
      await act(command, (context) => run(context, words.join(' '), options));
    });
}
