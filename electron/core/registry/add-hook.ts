/**
 * Adds hooks to the user's own documents. It never writes what does not validate as a whole, and
 * never rewrites what is there: new hooks are inserted into the existing text.
 */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyEdits, modify, type Edit } from 'jsonc-parser';
import type { HookDocument } from '../../../shared/contracts/hook.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { writeAtomic } from '../store/atomic.js';
import { withLock } from '../store/locks.js';
import { parseDocument, type DocumentFault, type DocumentPlace, type ParsedDocument } from './document.js';
import { readDocumentFile } from './read-document.js';
import { documentFile } from './registry.js';

export interface AddHookInput {
  readonly stateDir: string;
  /** Null: the global hooks. */
  readonly profile: string | null;
  readonly bytes: Uint8Array;
  /** What to call the bytes in faults, for example the file they were read from. */
  readonly label: string;
}

export interface AddedHooks {
  readonly file: string;
  readonly hooks: readonly ResolvedHook[];
}

/** Adds the hooks of a document; nothing is written unless everything is valid, before and after. Throws when the disk fails. */
export async function addHook(input: AddHookInput): Promise<Result<AddedHooks, DocumentFault[]>> {
  const file = documentFile(input.stateDir, input.profile);
  const place = placeOf(input.profile);
  const given = parseDocument(input.bytes, input.label, place, file);
  if (!given.ok) return given;
  return withLock(input.stateDir, 'registry', () => insertHooks(input, file, place, given.value));
}

function placeOf(profile: string | null): DocumentPlace {
  return profile === null ? { scope: 'global' } : { scope: 'profile', profile };
}

async function insertHooks(
  input: AddHookInput,
  file: string,
  place: DocumentPlace,
  given: ParsedDocument,
): Promise<Result<AddedHooks, DocumentFault[]>> {
  if (await isLink(file)) {
    const message = 'is a link, which writing would replace by a file of its own; edit the file that it names';
    return fail([{ file, path: '', line: 1, column: 1, message }]);
  }
  const read = readDocumentFile(file);
  if (!read.ok) return fail([{ file, path: '', line: 1, column: 1, message: read.error }]);
  const existing = read.value === null ? null : parseDocument(read.value.bytes, file, place, file);
  if (existing?.ok === false) return existing;
  const taken = findTaken(input, given, existing?.value.hooks ?? [], file);
  if (taken.length > 0) return fail(taken);
  const text = insertText(existing?.value ?? null, given);
  const checked = parseDocument(Buffer.from(text, 'utf8'), file, place, file);
  if (!checked.ok) return checked;
  assertNothingLost(existing?.value.hooks ?? [], given.hooks, checked.value.hooks);
  const again = readDocumentFile(file);
  if (!again.ok || again.value?.stamp !== read.value?.stamp) {
    const message = 'was changed by somebody else meanwhile, so nothing was written; try again';
    return fail([{ file, path: '', line: 1, column: 1, message }]);
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeAtomic(file, text, { mode: 0o600 });
  return ok({ file, hooks: given.hooks });
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
}

function findTaken(
  input: AddHookInput,
  given: ParsedDocument,
  existing: readonly ResolvedHook[],
  file: string,
): DocumentFault[] {
  const keys = new Set(existing.map((hook) => hook.key));
  return given.hooks.flatMap((hook, index) => {
    if (!keys.has(hook.key)) return [];
    const path = given.form === 'single' ? 'id' : `hooks[${index}].id`;
    const message = `${JSON.stringify(hook.id)} is already the id of a hook in ${file}; edit that one, or give this one another id`;
    return [{ file: input.label, path, line: 1, column: 1, message }];
  });
}

/** The existing text with the new hooks behind the old ones; a document of one hook becomes a list around its text. */
function insertText(existing: ParsedDocument | null, given: ParsedDocument): string {
  if (existing === null) {
    return `${JSON.stringify({ schema_version: 1, hooks: given.hooks.map((hook) => hook.document) }, null, 2)}\n`;
  }
  const eol = existing.text.includes('\r\n') ? '\r\n' : '\n';
  const start =
    existing.form === 'list'
      ? existing.text
      : `{${eol}  "schema_version": 1,${eol}  "hooks": [${eol}${existing.text.trim()}${eol}  ]${eol}}${eol}`;
  let text = start;
  for (const [index, hook] of given.hooks.entries()) {
    // Without formatting options, because those would format the hooks around it too.
    const edits = modify(text, ['hooks', existing.hooks.length + index], hook.document, { isArrayInsertion: true });
    text = applyEdits(
      text,
      edits.map((edit) => spreadOut(edit, hook.document, text, eol)),
    );
  }
  return text;
}

/** The same insertion with the hook on lines of its own. */
function spreadOut(edit: Edit, document: HookDocument, text: string, eol: string): Edit {
  const lines = JSON.stringify(document, null, 2).replaceAll('\n', `${eol}    `);
  const end = text[edit.offset] === ']' ? `${eol}  ` : '';
  return { ...edit, content: edit.content.replace(JSON.stringify(document), () => `${eol}    ${lines}${end}`) };
}

/** A guard against ourselves: an edit that lost or changed a hook must never reach the disk. */
function assertNothingLost(
  before: readonly ResolvedHook[],
  added: readonly ResolvedHook[],
  after: readonly ResolvedHook[],
): void {
  const wanted = JSON.stringify([...before, ...added].map((hook) => hook.document));
  if (JSON.stringify(after.map((hook) => hook.document)) !== wanted) {
    throw new Error('adding a hook would have changed another one, so nothing was written');
  }
}
