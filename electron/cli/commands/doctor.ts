import type { DoctorFinding } from '../../../shared/bridge/views.js';
import { createMemoryApprovals } from '../../core/approvals/memory-store.js';
import { doctorFindings } from '../../core/desk/doctor.js';
import { createLoginPath } from '../../core/spawn/login-path.js';
import { createSeam } from '../../core/spawn/seam.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';

/** `sallyport doctor`: what is installed, what was measured, what is broken. Starts no agent. */
export async function doctor(context: CommandContext, options: { readonly profile?: string }): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const seam = createSeam({ approvals: createMemoryApprovals().check });
  const findings = await doctorFindings({
    state: state.value,
    loginPath: createLoginPath({ seam, userEnv: context.io.env, cwd: state.value.dir }),
    profile: options.profile ?? null,
    keychain: {
      state: 'person',
      text: 'not used yet: approvals last as long as the command that asked for them',
    },
  });
  show(context, findings);
  if (findings.some((finding) => finding.state === 'broken')) return EXIT.environment;
  return findings.some((finding) => finding.state === 'person') ? EXIT.no : EXIT.fine;
}

const MARK = { well: 'ok', person: 'look', broken: 'BROKEN' } as const;

function show({ json, out }: CommandContext, findings: readonly DoctorFinding[]): void {
  if (json) out(`${JSON.stringify({ schema_version: 1, findings }, null, 2)}\n`);
  else for (const { section, state, text } of findings) out(`${MARK[state].padEnd(7)} ${section.padEnd(10)} ${text}\n`);
}
