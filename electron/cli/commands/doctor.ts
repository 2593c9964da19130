import { readdirSync } from 'node:fs';
import type { DoctorFinding } from '../../../shared/bridge/views.js';
import { createMemoryApprovals } from '../../core/approvals/memory-store.js';
import type { ApprovalStore } from '../../core/approvals/store.js';
import { doctorFindings } from '../../core/desk/doctor.js';
import { createReceiptChecks } from '../../core/receipts/checks.js';
import { createLoginPath } from '../../core/spawn/login-path.js';
import { createSeam } from '../../core/spawn/seam.js';
import type { StateFolder } from '../../core/store/layout.js';
import { openApprovals } from '../approval-store.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';

/** `sallyport doctor`: what is installed, what was measured, what is broken. Starts no agent. */
export async function doctor(context: CommandContext, options: { readonly profile?: string }): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const seam = createSeam({ approvals: createMemoryApprovals().check });
  const { store, keychain, close } = openApprovals(context, state.value, { patient: false });
  const findings = await doctorFindings({
    state: state.value,
    loginPath: createLoginPath({ seam, userEnv: context.io.env, cwd: state.value.dir }),
    profile: options.profile ?? null,
    keychain: await keychainFinding(state.value, store),
    receipts: createReceiptChecks({ state: state.value, keychain }),
  }).finally(close);
  show(context, findings);
  if (findings.some((finding) => finding.state === 'broken')) return EXIT.environment;
  return findings.some((finding) => finding.state === 'person') ? EXIT.no : EXIT.fine;
}

/** How keychain and approval store stand; nothing is written but what mends them. */
async function keychainFinding(state: StateFolder, store: ApprovalStore): Promise<Omit<DoctorFinding, 'section'>> {
  await store.refresh();
  const status = store.status();
  const aside = readdirSync(state.dir).filter((name) => /^approvals\.failed-.*\.json$/.test(name));
  const old = aside.length === 0 ? '' : ` Set aside earlier, to be looked at or removed: ${aside.join(', ')}.`;
  return { state: status.state === 'ready' && aside.length === 0 ? 'well' : 'person', text: `${status.text}${old}` };
}

const MARK = { well: 'ok', person: 'look', broken: 'BROKEN' } as const;

function show({ json, out }: CommandContext, findings: readonly DoctorFinding[]): void {
  if (json) out(`${JSON.stringify({ schema_version: 1, findings }, null, 2)}\n`);
  else for (const { section, state, text } of findings) out(`${MARK[state].padEnd(7)} ${section.padEnd(10)} ${text}\n`);
}
