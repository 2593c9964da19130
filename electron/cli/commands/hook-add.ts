/** `sallyport hook add FILE [--profile P]`. Job: put a document's hooks into the user's own. It approves nothing. */
import { PROFILE_NAME } from '../../../shared/contracts/profile.js';
import { visibleText } from '../../../shared/visible-text.js';
import { addHook } from '../../core/registry/add-hook.js';
import { readDocumentFile } from '../../core/registry/read-document.js';
import { EXIT, formatFault, type HookCommandIo } from './hook-io.js';

export interface HookAddArgs {
  readonly file: string;
}

/** Exit code 0 when added, 1 when something is not valid (nothing is written), 2 for wrong arguments, 4 when the disk fails. */
export async function hookAdd(args: HookAddArgs, io: HookCommandIo): Promise<number> {
  const file = visibleText(args.file).text;
  if (io.profile !== null && !PROFILE_NAME.test(io.profile)) {
    io.err(`sallyport: ${visibleText(JSON.stringify(io.profile)).text} is no profile name.\n`);
    return EXIT.usage;
  }
  const read = readDocumentFile(args.file);
  if (!read.ok) {
    io.err(`sallyport: ${file} ${read.error}.\n`);
    return EXIT.environment;
  }
  if (read.value === null) {
    io.err(`sallyport: there is no file ${file}; give the path of a hook document.\n`);
    return EXIT.usage;
  }
  try {
    const input = { stateDir: io.stateDir, profile: io.profile, bytes: read.value.bytes, label: args.file };
    const added = await addHook(input);
    if (!added.ok) {
      for (const fault of added.error) io.err(formatFault(fault));
      io.err('sallyport: nothing was added; mend what is named above and try again.\n');
      return EXIT.no;
    }
    reportAdded(added.value, io);
    return EXIT.fine;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    io.err(`sallyport: the hooks could not be written (${why}); nothing was added.\n`);
    return EXIT.environment;
  }
}

type Added = Extract<Awaited<ReturnType<typeof addHook>>, { ok: true }>['value'];

function reportAdded(added: Added, io: HookCommandIo): void {
  if (io.json) {
    io.out(`${JSON.stringify({ file: added.file, added: added.hooks.map((hook) => hook.id) })}\n`);
    return;
  }
  io.out(`added to ${visibleText(added.file).text}: ${added.hooks.map((hook) => hook.id).join(', ')}\n`);
  if (added.hooks.some((hook) => hook.handler.kind === 'command')) {
    io.out('a command runs only after you approved exactly it; you are asked when a run starts.\n');
  }
}
