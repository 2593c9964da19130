/**
 * The keychain helper: the one process that calls the system's keychain, for the process that started
 * it. Job: one request a line in, one answer a line out, one at a time. It must not decide anything,
 * nor write a value anywhere but into its answer; it may be killed at any moment.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';

/** One request; `value` belongs to `set`. */
const requestSchema = z.discriminatedUnion('op', [
  z.strictObject({ id: z.int(), op: z.literal('get'), service: z.string().min(1), account: z.string().min(1) }),
  z.strictObject({ id: z.int(), op: z.literal('delete'), service: z.string().min(1), account: z.string().min(1) }),
  z.strictObject({
    id: z.int(),
    op: z.literal('set'),
    service: z.string().min(1),
    account: z.string().min(1),
    value: z.string().min(1),
  }),
]);
type Request = z.infer<typeof requestSchema>;

/** The part of keytar that is used. `findCredentials` is not: on a locked keyring it ended the process (measured). */
export interface KeychainLibrary {
  readonly getPassword: (service: string, account: string) => Promise<string | null>;
  readonly setPassword: (service: string, account: string, value: string) => Promise<void>;
  readonly deletePassword: (service: string, account: string) => Promise<boolean>;
}

/** Serves requests until the input ends. `load` is asked at the first one, so that a library that does not load is an answer. */
export async function serveKeychain(
  input: Readable,
  output: Writable,
  load: () => Promise<KeychainLibrary>,
): Promise<void> {
  for await (const line of createInterface({ input })) {
    output.write(`${JSON.stringify(await answer(line, load))}\n`);
  }
}

type Answer = { readonly id: number | null } & (
  { readonly ok: true; readonly value: string | null } | { readonly ok: false; readonly error: string }
);

async function answer(line: string, load: () => Promise<KeychainLibrary>): Promise<Answer> {
  const request = parse(line);
  if (request === null) return { id: null, ok: false, error: 'not a request' };
  try {
    return { id: request.id, ok: true, value: await perform(request, await load()) };
  } catch (error) {
    return { id: request.id, ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function parse(line: string): Request | null {
  try {
    const parsed = requestSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function perform(request: Request, library: KeychainLibrary): Promise<string | null> {
  switch (request.op) {
    case 'get':
      return library.getPassword(request.service, request.account);
    case 'set':
      await library.setPassword(request.service, request.account, request.value);
      return null;
    case 'delete':
      await library.deletePassword(request.service, request.account);
      return null;
  }
}
