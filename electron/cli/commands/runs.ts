import type { Command } from 'commander';
import type { Act } from '../context.js';
import { runsList } from './runs-list.js';
import { runsShow } from './runs-show.js';

/** `sallyport runs …` */
export function addRunsCommands(program: Command, act: Act): void {
  const runs = program.command('runs').description('what ran, and how it ended');
  runs
    .command('list')
    .description('runs, newest first')
    .option('--limit <n>', 'how many', '20')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: { limit: string }, command: Command) => {
      await act(command, (context) => runsList(context, options));
    });
  runs
    .command('show <id>')
    .description('everything that is known of one run; the beginning of its id is enough')
    .option('--json', 'one JSON document instead of text')
    .action(async (id: string, _options: object, command: Command) => {
      await act(command, (context) => runsShow(context, id));
    });
}
