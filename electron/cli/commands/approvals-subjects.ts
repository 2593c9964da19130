/** What the registry and the agents found here want approved, and what a person means by a name. Starts no agent. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import { newId } from '../../../shared/ids.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { KNOWN_AGENTS } from '../../core/agents/known-agents.js';
import { createMemoryApprovals } from '../../core/approvals/memory-store.js';
import { loadRegistry } from '../../core/registry/registry.js';
import { survey, type ToApprove } from '../../core/runs/preflight.js';
import { agentForProfile } from '../../core/runs/profiles.js';
import { createLoginPath } from '../../core/spawn/login-path.js';
import { createSeam } from '../../core/spawn/seam.js';
import type { StateFolder } from '../../core/store/layout.js';
import { practiceProgram, type CommandContext } from '../context.js';
import { subjectId } from '../terminal/subject-text.js';

export interface SubjectOptions {
  readonly profile?: string;
  /** What a command hook runs depends on the folder that it runs in. */
  readonly workspace?: string;
}

export interface Wanted {
  readonly subjects: readonly ToApprove[];
  /** Hooks that cannot run at all, in words. */
  readonly notices: readonly string[];
}

/** Everything executable that runs of these profiles would ask about, each once. The error is for a person. */
export async function findSubjects(
  context: CommandContext,
  state: StateFolder,
  options: SubjectOptions,
): Promise<Result<Wanted, string>> {
  const folder = resolve(options.workspace ?? '.');
  let workspace: string;
  try {
    workspace = realpathSync(folder);
  } catch {
    return fail(`there is no folder ${folder}; name the workspace with --workspace`);
  }
  const seam = createSeam({ approvals: createMemoryApprovals().check });
  const services = {
    loginPath: createLoginPath({ seam, userEnv: context.io.env, cwd: state.dir }),
    userEnv: context.io.env,
    practiceProgram: practiceProgram(),
  };
  const found = new Map<string, ToApprove>();
  const notices = new Set<string>();
  for (const name of options.profile === undefined ? KNOWN_AGENTS.map((agent) => agent.name) : [options.profile]) {
    const known = await agentForProfile(state, name);
    if (!known.ok) return known;
    const { profile, adapter } = known.value;
    const snapshot = loadRegistry({ stateDir: state.dir, profile: profile.name, sessionDocuments: [] });
    for (const fault of snapshot.faults) notices.add(`${fault.file}: ${fault.path}: ${fault.message}`);
    const request = {
      adapter,
      profile,
      workspace,
      prompt: '',
      bypass: 'none',
      sessionHooks: [],
      acceptGaps: true,
      workspaceConfig: 'approve',
    } as const;
    const looked = await survey({ ...request, depth: 0 }, services, snapshot, newId('run'));
    for (const notice of looked.notices) notices.add(notice);
    for (const one of looked.subjects) {
      // The built-in agent is part of this program.
      if (one.subject.kind === 'agent-program' && adapter.programNames === null) continue;
      found.set(one.subject.key, found.get(one.subject.key) ?? one);
    }
  }
  return ok({ subjects: [...found.values()], notices: [...notices] });
}

interface Named {
  readonly kind: ApprovalSubjectKind;
  readonly key: string;
}

/**
 * The key that a person means: the key itself, the key without its kind (`global::guard`), or the last
 * part of that (`guard`) where only one has it. Null where there is none; the error lists what it could be.
 */
export function findKey(all: readonly Named[], id: string): Result<Named | null, string> {
  const whole = all.find((one) => one.key === id || subjectId(one) === id);
  if (whole !== undefined) return ok(whole);
  const meant = new Map(all.filter((one) => one.key.split(/[: ]/).at(-1) === id).map((one) => [one.key, one]));
  if (meant.size <= 1) return ok([...meant.values()][0] ?? null);
  return fail(`"${id}" could be any of: ${[...meant.values()].map(subjectId).join(', ')}`);
}

/** The subject of that name among them. */
export function findSubject(subjects: readonly ToApprove[], id: string): Result<ToApprove | null, string> {
  const key = findKey(
    subjects.map(({ subject }): ApprovalSubject => subject),
    id,
  );
  if (!key.ok) return key;
  return ok(subjects.find(({ subject }) => subject.key === key.value?.key) ?? null);
}
