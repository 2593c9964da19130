/**
 * compiler: registry snapshot + profile -> the agent's own configuration, plus the gaps. Pure:
 * it writes nothing and starts nothing. This resolver of gaps is the only one; preflight, doctor
 * and whatever shows a capability ask it, so that they cannot disagree.
 */
import { UNRAISED_APP_POINTS, pointRow, type Point } from '../../../shared/contracts/points.js';
import type { Action, Verdict } from '../../../shared/contracts/vocabulary.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import type { AgentAdapter, PointSupport, RouteGap } from '../agents/contract.js';

export type GapKind = 'signal' | 'operation' | 'point' | 'verdict' | 'route' | 'rewrite';

/** Something the registry asks for that the agent cannot do. */
export interface Gap {
  readonly kind: GapKind;
  /** The hook concerned; null for gaps of the agent as a whole. */
  readonly hookKey: string | null;
  readonly what: string;
  readonly why: string;
  /**
   * `left_out`: the hook is not part of the plan. `blind`: it is, but sees less. `accept`: the launch
   * needs an explicit "run without it". `refused`: the launch is refused. `named`: shown, no more.
   */
  readonly effect: 'left_out' | 'blind' | 'accept' | 'refused' | 'named';
}

/** All gaps between these hooks and this agent, whatever its version. */
export function findGaps(hooks: readonly ResolvedHook[], adapter: AgentAdapter): readonly Gap[] {
  return hooks.flatMap((hook) => hookGap(hook, adapter) ?? []);
}

/** Calls that this version of the agent makes past its own hooks, without those that the compiled form closes. */
export function findRouteGaps(adapter: AgentAdapter, version: string | null, closeRoutes: boolean): readonly Gap[] {
  return openRoutes(adapter, version, closeRoutes).map((route): Gap => ({
    kind: 'route',
    hookKey: null,
    what: route.what,
    why: route.measured,
    effect: 'named',
  }));
}

/** The route gaps of a run that stay open; calls by them are expected to meet no hook. */
export function openRoutes(adapter: AgentAdapter, version: string | null, closeRoutes: boolean): readonly RouteGap[] {
  return adapter.routeGaps(version).filter((route) => !(closeRoutes && route.closable === true));
}

function hookGap(hook: ResolvedHook, adapter: AgentAdapter): Gap | null {
  return (
    pointGap(hook, adapter) ?? signalGap(hook, adapter) ?? verdictGap(hook, adapter) ?? operationGap(hook, adapter)
  );
}

function nameOf(hook: ResolvedHook): string {
  return `hook ${hook.scope}:${hook.id}`;
}

/** How the agent serves a point; null for points that the app itself raises. */
function supportOf(point: Point, adapter: AgentAdapter): PointSupport | null {
  return pointRow(point).raisedBy === 'app' ? null : adapter.points[point as keyof AgentAdapter['points']];
}

function pointGap(hook: ResolvedHook, adapter: AgentAdapter): Gap | null {
  const support = supportOf(hook.point, adapter);
  const why =
    support === null
      ? UNRAISED_APP_POINTS.includes(hook.point)
        ? 'this version of Sallyport does not raise it yet'
        : null
      : 'gap' in support
        ? support.gap
        : null;
  if (why === null) return null;
  const effect = hook.mode === 'blocking' ? 'accept' : 'left_out';
  return {
    kind: 'point',
    hookKey: hook.key,
    what: `${nameOf(hook)} never runs: ${hook.point} is not raised`,
    why,
    effect,
  };
}

function signalGap(hook: ResolvedHook, adapter: AgentAdapter): Gap | null {
  const missing = hook.needs.signals.filter((signal) => !adapter.signals.includes(signal));
  if (missing.length === 0) return null;
  return {
    kind: 'signal',
    hookKey: hook.key,
    what: `${nameOf(hook)} is left out`,
    why: `${adapter.title} gives no ${missing.join(', ')}; left in, it could never fail`,
    effect: 'left_out',
  };
}

/** What each decision needs of the agent; a held call replaces an agent's own way to ask. */
const NEEDED: Readonly<Record<Action, (point: Point) => Verdict | null>> = {
  allow: () => null,
  deny: (point) => (point === 'turn.stopping' ? 'block' : 'deny'),
  modify: () => 'modify',
  request_approval: () => null,
};

function verdictGap(hook: ResolvedHook, adapter: AgentAdapter): Gap | null {
  const support = supportOf(hook.point, adapter);
  if (hook.mode !== 'blocking' || support === null || 'gap' in support) return null;
  const missing = hook.needs.decisions.filter((action) => {
    const verdict = NEEDED[action](hook.point);
    return verdict !== null && !support.verdicts.includes(verdict);
  });
  if (missing.length === 0) return null;
  return {
    kind: 'verdict',
    hookKey: hook.key,
    what: `${nameOf(hook)} may answer ${missing.map((m) => `"${m}"`).join(', ')} at ${hook.point}`,
    why: `${adapter.title} honours no such answer there`,
    effect: 'refused',
  };
}

function operationGap(hook: ResolvedHook, adapter: AgentAdapter): Gap | null {
  const blind = hook.needs.operations.filter((operation) => !adapter.operations.includes(operation));
  if (blind.length === 0) return null;
  const wholly = blind.length === hook.needs.operations.length;
  return {
    kind: 'operation',
    hookKey: hook.key,
    what: `${nameOf(hook)} is ${wholly ? 'wholly' : 'partly'} blind`,
    why: `${adapter.title} has no tool for ${blind.join(', ')}`,
    effect: 'blind',
  };
}
