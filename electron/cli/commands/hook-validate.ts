/** `sallyport hook validate FILE`. Job: say whether a document is valid, with every fault. It writes nothing. */
import { parseDocument } from '../../core/registry/document.js';
import { readDocumentFile } from '../../core/registry/read-document.js';
import { visibleText } from '../../../shared/visible-text.js';
import { EXIT, formatFault, type HookCommandIo } from './hook-io.js';

export interface HookValidateArgs {
  readonly file: string;
}

/** Exit code 0 for a valid document, 1 for one with faults, 2 for no such file, 4 for one that cannot be read. */
export async function hookValidate(args: HookValidateArgs, io: HookCommandIo): Promise<number> {
  const file = visibleText(args.file).text;
  const read = readDocumentFile(args.file);
  if (!read.ok) {
    io.err(`sallyport: ${file} ${read.error}.\n`);
    return EXIT.environment;
  }
  if (read.value === null) {
    io.err(`sallyport: there is no file ${file}; give the path of a hook document.\n`);
    return EXIT.usage;
  }
  const parsed = parseDocument(read.value.bytes, args.file, { scope: 'anywhere' }, args.file);
  if (io.json) {
    const hooks = parsed.ok ? parsed.value.hooks.map(({ id, scope, point, mode }) => ({ id, scope, point, mode })) : [];
    const answer = { file: args.file, valid: parsed.ok, hooks, faults: parsed.ok ? [] : parsed.error };
    io.out(`${JSON.stringify(answer)}\n`);
  } else if (parsed.ok) {
    const count = parsed.value.hooks.length;
    io.out(`${file}: valid, ${count} ${count === 1 ? 'hook' : 'hooks'}\n`);
    for (const hook of parsed.value.hooks) io.out(`  ${hook.id}  ${hook.point}  ${hook.scope}  ${hook.mode}\n`);
  } else {
    for (const fault of parsed.error) io.err(formatFault(fault));
    io.err(`${file}: not valid, ${parsed.error.length} ${parsed.error.length === 1 ? 'fault' : 'faults'}\n`);
  }
  return parsed.ok ? EXIT.fine : EXIT.no;
}
