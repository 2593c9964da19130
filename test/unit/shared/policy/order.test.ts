import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { compareHooks, effectiveOrder, mergeScopes } from '../../../../shared/policy/order.js';
import { resolveHook, type ResolvedHook } from '../../../../shared/policy/resolve-hook.js';
import { hookDocument } from './hooks.js';

const keys = { global: null, profile: 'main', project: '/w', session: null } as const;

const anyHook = fc
  .record({
    id: fc.constantFrom('a', 'b', 'a-1', 'c', 'd'),
    scope: fc.constantFrom(...SCOPES),
    enabled: fc.boolean(),
    order: fc.integer({ min: -2, max: 2 }),
  })
  .map((fields) => resolveHook(hookDocument({ ...fields, scope_key: keys[fields.scope] }), null));

const registry = fc.uniqueArray(anyHook, { selector: (hook) => hook.key, maxLength: 20 });
const rank = (hook: ResolvedHook) => SCOPES.indexOf(hook.scope);

describe('mergeScopes and effectiveOrder', () => {
  it('lets exactly the most specific definition of each id win, enabled or not', () => {
    fc.assert(
      fc.property(registry, (hooks) => {
        const states = mergeScopes(hooks);
        for (const hook of hooks) {
          const rivals = hooks.filter((other) => other.id === hook.id);
          const wins = rivals.every((other) => rank(other) <= rank(hook));
          expect(states.get(hook)?.state).toBe(wins ? (hook.enabled ? 'active' : 'off') : 'shadowed');
        }
      }),
    );
  });

  it('is sorted by order, scope, id, and does not depend on the order of the files', () => {
    fc.assert(
      fc.property(
        registry.chain((hooks) =>
          fc.tuple(fc.constant(hooks), fc.shuffledSubarray(hooks, { minLength: hooks.length })),
        ),
        ([hooks, shuffled]) => {
          const order = effectiveOrder(hooks, 'tool.before');
          expect(effectiveOrder(shuffled, 'tool.before').map((hook) => hook.key)).toEqual(
            order.map((hook) => hook.key),
          );
          for (const [index, hook] of order.entries()) {
            const next = order[index + 1];
            if (next === undefined) continue;
            expect(compareHooks(hook, next)).toBeLessThan(0);
            const pair = [hook.order, rank(hook), hook.id] as const;
            const after = [next.order, rank(next), next.id] as const;
            expect(
              pair[0] < after[0] ||
                (pair[0] === after[0] && pair[1] < after[1]) ||
                (pair[0] === after[0] && pair[1] === after[1] && pair[2] < after[2]),
            ).toBe(true);
          }
        },
      ),
    );
  });

  it('leaves other points out, and hides by a disabled override', () => {
    const guard = resolveHook(hookDocument(), null);
    const off = resolveHook(hookDocument({ scope: 'session', enabled: false }), null);
    const elsewhere = resolveHook(hookDocument({ id: 'other', point: 'turn.stopping' }), null);
    expect(effectiveOrder([guard, elsewhere], 'tool.before')).toEqual([guard]);
    expect(effectiveOrder([guard, off], 'tool.before')).toEqual([]);
    expect(mergeScopes([guard, off]).get(guard)).toEqual({ state: 'shadowed', by: off });
  });

  it('compares ids by code unit', () => {
    const ids = ['b', 'a0', 'a', 'a-', '0'].map((id) => resolveHook(hookDocument({ id }), null));
    expect(effectiveOrder(ids, 'tool.before').map((hook) => hook.id)).toEqual(['0', 'a', 'a-', 'a0', 'b']);
  });
});

describe('resolveHook', () => {
  it('fills in the defaults', () => {
    expect(resolveHook(hookDocument({ filters: { operations: ['run_command'] } }), '/f')).toMatchObject({
      key: 'global::guard',
      description: '',
      scopeKey: null,
      enabled: true,
      order: 100,
      timeoutMs: 10_000,
      maxOutputBytes: 65_536,
      maxConcurrency: 1,
      failurePolicy: 'deny',
      needs: { decisions: ['allow', 'deny'], operations: ['run_command'], signals: [] },
      pinProgram: false,
      source: '/f',
    });
  });

  it('takes the needs of a builtin from the builtin, and what the document says before both', () => {
    const handler = { kind: 'builtin', builtin: 'forbidden-path' } as const;
    expect(resolveHook(hookDocument({ handler }), null).needs.operations).toEqual(['modify_file']);
    const own = resolveHook(hookDocument({ handler, needs: { operations: [], signals: ['messages'] } }), null);
    expect(own.needs).toEqual({ decisions: ['allow', 'deny'], operations: [], signals: ['messages'] });
  });

  it('gives an observational hook the softer defaults', () => {
    const observer = resolveHook(
      hookDocument({ mode: 'observational', scope: 'profile', scope_key: 'p', timeout_seconds: 0.15 }),
      null,
    );
    expect(observer).toMatchObject({
      key: 'profile:p:guard',
      failurePolicy: 'warn',
      timeoutMs: 150,
      needs: { decisions: ['allow'] },
    });
  });
});
