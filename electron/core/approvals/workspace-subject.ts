/**
 * The configuration that a workspace brings for its agent, as something to be approved: every file by its
 * exact bytes. Job: find all of it or say why that cannot be done. It approves nothing and starts nothing.
 */
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { JsonObject } from '../../../shared/json.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { sha256OfBytes } from './digests.js';
import { finishSubject } from './subjects.js';

export interface WorkspaceConfig {
  readonly agent: string;
  /** The person's word for it. */
  readonly title: string;
  /** Canonical and absolute. */
  readonly workspace: string;
  /** Files and folders of it, relative to the workspace; those that are not there count as nothing. */
  readonly roots: readonly string[];
  /** What other files hold for this workspace. */
  readonly parts: readonly { readonly of: string; readonly text: string }[];
}

/** More is no configuration that a person could judge. */
const MOST_FILES = 300;
const MOST_BYTES = 4 * 1024 * 1024;
/** Longest text that is shown in full, in bytes; of a longer one the digest stands alone. */
const MOST_SHOWN = 32 * 1024;

interface ConfigFile {
  readonly path: string;
  readonly real: string;
  readonly digest: string;
  /** Its lines, with values of secret names masked; null when it is no text, or too long. */
  readonly lines: readonly string[] | null;
}

/** The subject; null when the workspace brings nothing. */
export async function workspaceSubject(config: WorkspaceConfig): Promise<Result<ApprovalSubject | null, string>> {
  const { agent, title, workspace } = config;
  const found = await filesOf(config);
  if (!found.ok) return found;
  const files = found.value;
  const parts = config.parts.map(({ of, text }) => ({ of, digest: sha256OfBytes(text), lines: linesOf(text) }));
  if (files.length === 0 && parts.length === 0) return ok(null);
  const content: JsonObject = {
    agent,
    workspace,
    files: files.map((file) => ({ ...file })),
    parts,
  };
  const subject = finishSubject('workspace-agent-config', `workspace-agent-config ${agent} ${workspace}`, content, {
    title: `Configuration that ${workspace} brings for ${title}`,
    argv: [],
    program: '',
    envNames: [],
    cwd: workspace,
    files: [...files, ...parts.map(({ of, digest }) => ({ path: `${of} (its part for this folder)`, digest }))].map(
      (file) => ({ path: file.path, digest: file.digest }),
    ),
    notCovered: [
      'programs and scripts that these files name and that are not among them',
      'instructions in folders above and below the workspace, which the agent finds by itself',
    ],
  });
  return subject.ok ? ok(subject.value) : fail(subject.error.text);
}

async function filesOf({ workspace, roots }: WorkspaceConfig): Promise<Result<readonly ConfigFile[], string>> {
  const files: ConfigFile[] = [];
  const folders = new Set<string>();
  let bytes = 0;
  const take = async (name: string): Promise<string | null> => {
    const file = path.join(workspace, name);
    const real = await realpath(file).catch(() => null);
    if (real === null) return null;
    const facts = await stat(real);
    if (facts.isDirectory()) {
      // A link that leads back to a folder already seen adds nothing.
      if (folders.has(real)) return null;
      folders.add(real);
      for (const inside of (await readdir(real)).sort()) {
        const trouble = await take(`${name}/${inside}`);
        if (trouble !== null) return trouble;
      }
      return null;
    }
    if (!facts.isFile()) return `${file} is neither a file nor a folder`;
    bytes += facts.size;
    if (files.length >= MOST_FILES || bytes > MOST_BYTES) {
      return `it is more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MiB, which nobody can look through`;
    }
    const content = await readFile(real);
    files.push({ path: file, real, digest: sha256OfBytes(content), lines: linesOf(textOf(content)) });
    return null;
  };
  try {
    for (const root of roots) {
      const trouble = await take(root);
      if (trouble !== null) return fail(trouble);
    }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  return ok(files);
}

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function linesOf(text: string | null): readonly string[] | null {
  if (text === null || Buffer.byteLength(text) > MOST_SHOWN) return null;
  return text.replace(SECRET_PAIR, '$1"(a value, not kept)"').split('\n');
}

/** A JSON member whose name says that its value is a secret; the value is covered by the digest and not kept. */
const SECRET_PAIR =
  /("[^"\n]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|AUTHORIZATION)[^"\n]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
