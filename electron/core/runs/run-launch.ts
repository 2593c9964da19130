import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { RunLaunch } from '../../../shared/contracts/run-launch.js';
import type { CompiledRun } from '../agents/contract.js';
import { sha256OfBytes } from '../approvals/digests.js';
import type { AgentProgram } from './agent-program.js';
import { withoutToken } from './gate-folder.js';

/** What a run relies on, and what its agent is started with once that is compiled; names and digests, for the record. */
export function launchOf(
  approved: readonly ApprovalSubject[],
  start: { readonly agent: AgentProgram; readonly compiled: CompiledRun; readonly token: string } | null = null,
): RunLaunch {
  const approvals = approved.map(({ kind, key, digest }) => ({ kind, key, digest }));
  if (start === null) return { approvals, argv: [], environment: [], configuration: [] };
  const { agent, compiled, token } = start;
  return {
    approvals,
    argv: [agent.program, ...agent.prefix, ...compiled.argv],
    environment: [...new Set([...Object.keys(agent.env), ...Object.keys(compiled.env)])].sort(),
    configuration: compiled.files.map((file) => ({
      name: file.name,
      digest: sha256OfBytes(withoutToken(file.text, token)),
    })),
  };
}
