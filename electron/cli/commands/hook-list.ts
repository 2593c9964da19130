/** `sallyport hook list [--profile P] [--json]`. Job: show every hook with its state and reason. It runs nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILE_NAME } from '../../../shared/contracts/profile.js';
import { visibleText } from '../../../shared/visible-text.js';
import { adapterNamed, KNOWN_AGENTS } from '../../core/agents/known-agents.js';
import { documentFile, loadRegistry } from '../../core/registry/registry.js';
import type { ListedHook, Snapshot } from '../../core/registry/snapshot.js';
import { EXIT, formatFault, summariseHandler, type HookCommandIo } from './hook-io.js';

/** Exit code 0, or 1 when there is no such profile, or a document is broken: its faults are named and its hooks are missing from the list. */
export async function hookList(_args: object, io: HookCommandIo): Promise<number> {
  if (io.profile !== null && !PROFILE_NAME.test(io.profile)) {
    io.err(`sallyport: ${visibleText(JSON.stringify(io.profile)).text} is no profile name.\n`);
    return EXIT.usage;
  }
  if (io.profile !== null && !isProfile(io.stateDir, io.profile)) {
    io.err(
      `sallyport: there is no profile ${JSON.stringify(io.profile)}, no hooks of it, and no agent of that name; give one of ${KNOWN_AGENTS.map((agent) => agent.name).join(', ')}, or a name from ${visibleText(join(io.stateDir, 'profiles')).text}.\n`,
    );
    return EXIT.no;
  }
  const snapshot = loadRegistry({ stateDir: io.stateDir, profile: io.profile, sessionDocuments: [] });
  if (io.json) io.out(`${JSON.stringify(toJson(snapshot))}\n`);
  else printTable(snapshot, io);
  if (snapshot.faults.length === 0) return EXIT.fine;
  if (!io.json) for (const fault of snapshot.faults) io.err(formatFault(fault));
  io.err(
    `sallyport: not listed, because broken: ${snapshot.broken.map((file) => visibleText(file).text).join(', ')}\n`,
  );
  return EXIT.no;
}

/** Each agent has a default profile of its name; the others have a file, or at least hooks that wait for one. */
function isProfile(stateDir: string, name: string): boolean {
  if (adapterNamed(name) !== null) return true;
  return [join(stateDir, 'profiles', `${name}.json`), documentFile(stateDir, name)].some((file) => existsSync(file));
}

function toJson(snapshot: Snapshot): object {
  return {
    version: snapshot.version,
    hooks: snapshot.listing.map((row) => ({
      id: row.hook.id,
      name: row.hook.name,
      point: row.hook.point,
      scope: row.hook.scope,
      scope_key: row.hook.scopeKey,
      mode: row.hook.mode,
      order: row.hook.order,
      state: row.state,
      reason: row.reason,
      handler: row.hook.handler,
      source: row.hook.source,
    })),
    faults: snapshot.faults,
    broken: snapshot.broken,
  };
}

function printTable(snapshot: Snapshot, io: HookCommandIo): void {
  io.out(`registry ${snapshot.version}\n`);
  if (snapshot.listing.length === 0) {
    io.out('no hooks\n');
    return;
  }
  const rows = [['ID', 'POINT', 'SCOPE', 'MODE', 'STATE', 'HANDLER'], ...snapshot.listing.map(toCells)];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    io.out(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
  }
}

function toCells({ hook, state, reason }: ListedHook): string[] {
  const scope = hook.scopeKey === null ? hook.scope : `${hook.scope} ${visibleText(hook.scopeKey).text}`;
  const asks = state === 'active' && hook.handler.kind === 'command' ? 'asks for approval when a run starts' : '';
  const note = reason === '' ? asks : reason;
  const shownState = note === '' ? state : `${state} (${note})`;
  return [hook.id, hook.point, scope, hook.mode, shownState, summariseHandler(hook)];
}
