import practiceHooks from '../../../examples/practice-hooks.json' with { type: 'json' };
import starterPolicy from '../../../examples/starter-policy.json' with { type: 'json' };
import { addHook } from '../registry/add-hook.js';
import { loadRegistry, type SessionDocument } from '../registry/registry.js';
import { sameJson } from '../../../shared/canonical-json.js';
import { fail, ok, type Result } from '../../../shared/result.js';

/** The hooks of a practice run: one denies, one asks. The bundler puts the example file itself into the program. */
export const PRACTICE_HOOKS: SessionDocument = {
  label: 'the practice hooks',
  bytes: Buffer.from(JSON.stringify(practiceHooks)),
};

/** What the first start offers to install, and what it says about it. */
export const STARTER_POLICY = {
  id: starterPolicy.id,
  name: starterPolicy.name,
  description: starterPolicy.description,
  explanation:
    'Installed as a global hook, it is asked before every file is written, in every run of every agent. ' +
    'It denies writes to .env files, to anything below .git or .ssh, and to files named like credentials or private keys. ' +
    'It runs inside Sallyport, starts no program and needs no approval. It does not keep an agent from reading. ' +
    'You can change or remove it in hooks/global.json of the state folder.',
} as const;

/** True when the global hooks hold a hook of the starter policy's id. */
export function hasStarterPolicy(stateDir: string): boolean {
  return findStarter(stateDir) !== undefined;
}

function findStarter(stateDir: string) {
  const { hooks } = loadRegistry({ stateDir, profile: null, sessionDocuments: [] });
  return hooks.find((hook) => hook.scope === 'global' && hook.id === starterPolicy.id);
}

/** Adds the starter policy to the global hooks; doing it twice is doing it once. */
export async function installStarterPolicy(stateDir: string): Promise<Result<null, string>> {
  const present = findStarter(stateDir);
  if (present !== undefined) {
    if (sameJson(present.document, starterPolicy)) return ok(null);
    return fail(
      `There is already another global hook with the id "${starterPolicy.id}"; it was left as it is. Rename it first if you want both.`,
    );
  }
  const added = await addHook({
    stateDir,
    profile: null,
    bytes: Buffer.from(JSON.stringify(starterPolicy)),
    label: 'the starter policy',
  });
  if (added.ok) return ok(null);
  return fail(added.error.map(({ file, line, path, message }) => `${file}:${line}: ${path}: ${message}`).join('\n'));
}
