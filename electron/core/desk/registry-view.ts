import type { HookView, RegistryView } from '../../../shared/bridge/views.js';
import { hookSubject } from '../approvals/subjects.js';
import type { ApprovalStore } from '../approvals/store.js';
import { loadRegistry } from '../registry/registry.js';
import type { ListedHook } from '../registry/snapshot.js';
import type { EnvironmentSource } from '../spawn/environment.js';

export interface RegistryViewInput {
  readonly stateDir: string;
  /** Null: the global hooks only. */
  readonly profile: string | null;
  readonly approvals: ApprovalStore;
  readonly userEnv: EnvironmentSource;
  /** Where programs and scripts of command hooks are looked for: what an approval covers depends on it. */
  readonly workspace: string;
}

/** Every hook with its state and reason. Looks at the files of command hooks; starts nothing. */
export async function registryView(input: RegistryViewInput): Promise<RegistryView> {
  const { stateDir, profile } = input;
  const snapshot = loadRegistry({ stateDir, profile, sessionDocuments: [] });
  const hooks: HookView[] = [];
  for (const row of snapshot.listing) hooks.push(await hookView(row, input));
  return {
    version: snapshot.version,
    hooks,
    faults: snapshot.faults.map(({ file, path, message, line, column }) => ({ file, path, message, line, column })),
  };
}

async function hookView(row: ListedHook, input: RegistryViewInput): Promise<HookView> {
  const { hook } = row;
  const { handler } = hook;
  return {
    key: hook.key,
    id: hook.id,
    name: hook.name,
    description: hook.description,
    scope: hook.scope,
    scopeKey: hook.scopeKey,
    point: hook.point,
    mode: hook.mode,
    order: hook.order,
    failurePolicy: hook.failurePolicy,
    handler: handler.kind === 'builtin' ? [handler.builtin] : [...handler.argv],
    source: hook.source,
    ...(await stateOf(row, input)),
  };
}

async function stateOf(
  { hook, state, reason }: ListedHook,
  { approvals, workspace, userEnv }: RegistryViewInput,
): Promise<Pick<HookView, 'state' | 'reason'>> {
  if (state !== 'active') return { state, reason };
  if (hook.handler.kind === 'builtin') return { state: 'active', reason: 'runs inside Sallyport; needs no approval' };
  const subject = await hookSubject(hook, { workspace, userEnv });
  if (!subject.ok) return { state: 'broken', reason: `${subject.error.text} (looked for from ${workspace})` };
  switch (approvals.state(subject.value)) {
    case 'approved':
      return { state: 'active', reason: 'approved as it is' };
    case 'changed':
      return {
        state: 'changed',
        reason: 'it is another one than was approved; it does not run until it is approved again at a launch',
      };
    case 'unapproved':
      return { state: 'inert', reason: 'not approved yet; you are asked when a run starts' };
  }
}
