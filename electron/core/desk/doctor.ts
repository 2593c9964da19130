/** The doctor: what is installed, what was measured, what is broken. Command and window show the same findings. Starts no agent. */
import type { DoctorFinding } from '../../../shared/bridge/views.js';
import type { AgentAdapter } from '../agents/contract.js';
import { KNOWN_AGENTS } from '../agents/known-agents.js';
import { sha256OfFile } from '../approvals/digests.js';
import { findGaps } from '../compiler/gaps.js';
import { loadRegistry } from '../registry/registry.js';
import { agentForProfile } from '../runs/profiles.js';
import type { LoginPath, LoginPathLookUp } from '../spawn/login-path.js';
import { resolveProgram } from '../spawn/programs.js';
import type { StateFolder } from '../store/layout.js';

export interface DoctorInput {
  readonly state: StateFolder;
  readonly loginPath: LoginPathLookUp;
  /** Null: every agent's own profile. */
  readonly profile: string | null;
  /** How the keychain stands, from whoever uses it. */
  readonly keychain: Omit<DoctorFinding, 'section'>;
}

/** All findings: `well`, `person` (something needs a person), `broken` (the gate cannot hold). */
export async function doctorFindings({ state, loginPath, profile, keychain }: DoctorInput): Promise<DoctorFinding[]> {
  const login = await loginPath.get();
  return [
    { section: 'state', state: 'well', text: `${state.dir} (${state.id})` },
    pathFinding(login),
    await curlFinding(login),
    ...(await agentFindings(login, state)),
    ...(await hookFindings(state, profile)),
    { section: 'keychain', ...keychain },
    { section: 'backends', state: 'well', text: 'local (not isolating); bubblewrap and container are not there yet' },
    { section: 'receipts', state: 'person', text: 'not made yet: runs say "no receipt"' },
  ];
}

function pathFinding({ source, note }: LoginPath): DoctorFinding {
  const from = source === 'login-shell' ? "your login shell's" : "this process's own";
  return {
    section: 'path',
    state: note === null ? 'well' : 'person',
    text: `programs are looked for on ${from} PATH${note === null ? '' : `: ${note}`}`,
  };
}

async function curlFinding(login: LoginPath): Promise<DoctorFinding> {
  const curl = await resolveProgram('curl', `/usr/bin:/bin:/usr/local/bin:${login.path}`, '/');
  return curl.ok
    ? { section: 'launcher', state: 'well', text: `uses ${curl.value.real}` }
    : {
        section: 'launcher',
        state: 'broken',
        text: 'curl was not found, and the hook launcher needs it (Debian: apt-get install curl)',
      };
}

async function agentFindings(login: LoginPath, state: StateFolder): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const adapter of KNOWN_AGENTS) findings.push(await agentFinding(adapter, login, state));
  return findings;
}

async function agentFinding(adapter: AgentAdapter, login: LoginPath, state: StateFolder): Promise<DoctorFinding> {
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

async function hookFindings(state: StateFolder, profileName: string | null): Promise<readonly DoctorFinding[]> {
  const section = 'hooks';
  const names = profileName === null ? KNOWN_AGENTS.map((adapter) => adapter.name) : [profileName];
  const findings: DoctorFinding[] = [];
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
