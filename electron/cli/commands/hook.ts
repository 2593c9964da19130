import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isInsideRun } from '../../core/spawn/run-marker.js';
import { EXIT, type Act, type CommandContext } from '../context.js';
import { addApprove } from './approvals.js';
import { hookAdd } from './hook-add.js';
import type { HookCommandIo } from './hook-io.js';
import { hookList } from './hook-list.js';
import { hookTraces, type TraceOptions } from './hook-traces.js';
import { hookValidate } from './hook-validate.js';

/** `sallyport hook …` */
export function addHookCommands(program: Command, act: Act): void {
  const hook = program.command('hook').description('the registry of hooks');
  hook
    .command('validate <file>')
    .description('checks a hook document and names every fault; changes nothing')
    .action(async (file: string, _options: object, command: Command) => {
      await act(command, (context) => hookValidate({ file: resolve(file) }, hookIo(context)));
    });
  hook
    .command('add <file>')
    .description('adds the hooks of a document to the registry; what they start is approved when a run starts')
    .option('--profile <name>', 'to this profile instead of the global hooks')
    .action(async (file: string, options: { profile?: string }, command: Command) => {
      await act(command, (context) => {
        // A hook may replace one of the same id, so adding can weaken; an agent must not do that.
        if (!isInsideRun()) return hookAdd({ file: resolve(file) }, hookIo(context, options.profile));
        context.err('sallyport: inside a run the registry is not changed; add the hook from your own terminal.\n');
        return Promise.resolve(EXIT.refused);
      });
    });
  addApprove(hook, act, 'hook-argv');
  hook
    .command('list')
    .description('every hook, its state and why')
    .option('--profile <name>', 'with the hooks of this profile')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: { profile?: string }, command: Command) => {
      await act(command, (context) => hookList({}, hookIo(context, options.profile)));
    });
  hook
    .command('traces')
    .description('what each attempt of each hook came to, newest first')
    .option('--limit <n>', 'how many', '50')
    .option('--hook-id <id>', 'of this hook')
    .option('--point <point>', 'at this point')
    .option('--run <id>', 'of this run')
    .option('--decision <action>', 'with this decision')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: TraceOptions, command: Command) => {
      await act(command, (context) => hookTraces(context, options));
    });
}

function hookIo({ stateDir, json, out, err }: CommandContext, profile?: string): HookCommandIo {
  return { stateDir, profile: profile ?? null, json, out, err };
}
