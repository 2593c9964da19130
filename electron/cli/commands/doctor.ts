import { sha256OfFile } from '../../core/approvals/digests.js';
import { createMemoryApprovals } from '../../core/approvals/memory-store.js';
import type { AgentAdapter } from '../../core/agents/contract.js';
import { KNOWN_AGENTS } from '../../core/agents/known-agents.js';
import { findGaps } from '../../core/compiler/gaps.js';
import { loadRegistry } from '../../core/registry/registry.js';
import { agentForProfile } from '../../core/runs/profiles.js';
import { createLoginPath, type LoginPath } from '../../core/spawn/login-path.js';
import { resolveProgram } from '../../core/spawn/programs.js';
import { createSeam } from '../../core/spawn/seam.js';
import type { StateFolder } from '../../core/store/layout.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';

/** One line of the doctor: `well`, `person` (something needs a person), `broken` (the gate cannot hold). */
interface Finding {
  readonly section: string;
  readonly state: 'well' | 'person' | 'broken';
  readonly text: string;
}

/** `sallyport doctor`: what is installed, what was measured, what is broken. Starts no agent. */
export async function doctor(context: CommandContext, options: { readonly profile?: string }): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const seam = createSeam({ approvals: createMemoryApprovals().check });
  const login = await createLoginPath({ seam, userEnv: context.io.env, cwd: state.value.dir }).get();
  const findings: Finding[] = [
    { section: 'state', state: 'well', text: `${state.value.dir} (${state.value.id})` },
    pathFinding(login),
    await curlFinding(login),
    ...(await agentFindings(login, state.value)),
    ...(await hookFindings(state.value, options.profile ?? null)),
    {
      section: 'keychain',
      state: 'person',
      text: 'not used yet: approvals last as long as the command that asked for them',
    },
    { section: 'backends', state: 'well', text: 'local (not isolating); bubblewrap and container are not there yet' },
    { section: 'receipts', state: 'person', text: 'not made yet: runs say "not scanned, no receipt"' },
  ];
  show(context, findings);
  if (findings.some((finding) => finding.state === 'broken')) return EXIT.environment;
  return findings.some((finding) => finding.state === 'person') ? EXIT.no : EXIT.fine;
}

const MARK = { well: 'ok', person: 'look', broken: 'BROKEN' } as const;

function show({ json, out }: CommandContext, findings: readonly Finding[]): void {
  if (json) out(`${JSON.stringify({ schema_version: 1, findings }, null, 2)}\n`);
  else for (const { section, state, text } of findings) out(`${MARK[state].padEnd(7)} ${section.padEnd(10)} ${text}\n`);
}

function pathFinding({ source, note }: LoginPath): Finding {
  const from = source === 'login-shell' ? "your login shell's" : "this process's own";
  return {
    section: 'path',
    state: note === null ? 'well' : 'person',
    text: `programs are looked for on ${from} PATH${note === null ? '' : `: ${note}`}`,
  };
}

async function curlFinding(login: LoginPath): Promise<Finding> {
  const curl = await resolveProgram('curl', `/usr/bin:/bin:/usr/local/bin:${login.path}`, '/');
  return curl.ok
    ? { section: 'launcher', state: 'well', text: `uses ${curl.value.real}` }
    : {
        section: 'launcher',
        state: 'broken',
        text: 'curl was not found, and the hook launcher needs it (Debian: apt-get install curl)',
      };
}

async function agentFindings(login: LoginPath, state: StateFolder): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const adapter of KNOWN_AGENTS) findings.push(await agentFinding(adapter, login, state));
  return findings;
}

async function agentFinding(adapter: AgentAdapter, login: LoginPath, state: StateFolder): Promise<Finding> {
  const section = 'agents';
  if (adapter.programNames === null) return { section, state: 'well', text: `${adapter.title}: built in` };
  for (const name of adapter.programNames) {
    const found = await resolveProgram(name, login.path, state.dir);
    if (!found.ok) continue;
    const digest = await sha256OfFile(found.value.real);
    if (!digest.ok) return { section, state: 'broken', text: `${adapter.title}: ${digest.error.text}` };
    const known = adapter.measuredPrograms.find((one) => one.digest === digest.value.digest);
    const measured = `measured on ${adapter.measuredVersions.join(', ')}`;
    return known === undefined
      ? {
          section,
          state: 'person',
          text: `${adapter.title}: ${found.value.real}, ${digest.value.digest}: not a file that was measured (${measured}); its version is asked once you approved it`,
        }
      : { section, state: 'well', text: `${adapter.title} ${known.version}: ${found.value.real}, measured` };
  }
  return { section, state: 'person', text: `${adapter.title}: not found on PATH` };
}

async function hookFindings(state: StateFolder, profileName: string | null): Promise<readonly Finding[]> {
  const section = 'hooks';
  const names = profileName === null ? KNOWN_AGENTS.map((adapter) => adapter.name) : [profileName];
  const findings: Finding[] = [];
  for (const name of names) {
    const found = await agentForProfile(state, name);
    if (!found.ok) {
      findings.push({ section, state: 'broken', text: found.error });
      continue;
    }
    const snapshot = loadRegistry({ stateDir: state.dir, profile: name, sessionDocuments: [] });
    for (const fault of snapshot.faults) {
      findings.push({ section, state: 'broken', text: `${fault.file}: ${fault.path}: ${fault.message}` });
    }
    const active = snapshot.listing.filter((one) => one.state === 'active').map((one) => one.hook);
    findings.push({
      section,
      state: 'well',
      text: `profile ${name}: ${active.length} active hook(s), ${snapshot.version}`,
    });
    for (const gap of findGaps(active, found.value.adapter)) {
      findings.push({
        section,
        state: gap.effect === 'refused' ? 'broken' : 'person',
        text: `profile ${name}: ${gap.what}: ${gap.why}`,
      });
    }
  }
  return findings;
}
