import { describe, expect, it } from 'vitest';
import { createObservers } from '../../../electron/core/engine/observers.js';
import { judgePoint, judgeTurnStopping } from '../../../electron/core/engine/point.js';
import { bench, decides, FAILS } from './bench.js';

describe('run.before', () => {
  it('denies, asks, allows; nothing may be modified there', async () => {
    const denied = bench();
    denied.add('g', 'run.before', decides('deny', { reason: 'not today' }), { needs: { decisions: ['deny'] } });
    expect(await judgePoint(denied.input, 'run.before', {})).toMatchObject({ verdict: 'deny', reason: 'not today' });
    const asks = bench();
    asks.add('g', 'run.before', decides('request_approval'), { needs: { decisions: ['request_approval'] } });
    expect((await judgePoint(asks.input, 'run.before', {})).verdict).toBe('ask');
    const changes = bench();
    changes.add('g', 'run.before', decides('modify', { mutations: { args: {} } }), { needs: { decisions: ['deny'] } });
    expect((await judgePoint(changes.input, 'run.before', {})).verdict).toBe('deny');
  });
});

describe('turn.stopping', () => {
  const needs = { needs: { decisions: ['deny'] } };

  it('sends back three times a turn, then lets end and counts it', async () => {
    const { input, add, warnings } = bench();
    add('g', 'turn.stopping', decides('deny', { reason: 'tests are red' }), needs);
    const verdicts: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      verdicts.push((await judgeTurnStopping(input, { lastMessage: 'done', alreadyDenied: i > 0 })).verdict);
    }
    expect(verdicts).toEqual(['deny', 'deny', 'deny', 'allow', 'allow']);
    expect(input.session.turnsPassedAfterDenials).toBe(2);
    expect(warnings).toHaveLength(2);
  });

  it('counts anew for a new turn', async () => {
    const { input, add } = bench();
    add('g', 'turn.stopping', decides('deny'), needs);
    for (let i = 0; i < 8; i += 1) {
      expect((await judgeTurnStopping(input, { lastMessage: null, alreadyDenied: false })).verdict).toBe('deny');
    }
  });

  it('a failing guard keeps the agent at work', async () => {
    const { input, add } = bench();
    add('g', 'turn.stopping', FAILS, needs);
    expect((await judgeTurnStopping(input, { lastMessage: null, alreadyDenied: false })).verdict).toBe('deny');
  });
});

describe('observers', () => {
  const observing = { mode: 'observational', needs: { decisions: ['allow'] } };

  it('run off the path, see the event, and are drained', async () => {
    const { input, add, ran } = bench();
    add('o', 'tool.after', decides('allow'), observing);
    add('other', 'session.end', decides('allow'), observing);
    const observers = createObservers();
    observers.observe(input, { point: 'tool.after', data: { tool_name: 'Bash' }, call: null });
    expect(await observers.drain()).toBe(0);
    expect(ran.map((one) => one.id)).toEqual(['o']);
    expect(ran[0]?.event.data).toEqual({ tool_name: 'Bash' });
  });

  it('may stay silent; any decision but allow is refused, traced as an error, and blocks nothing', async () => {
    const { input, add, traces } = bench();
    add('silent', 'tool.after', { kind: 'silent', exitStatus: 0 }, observing);
    add('denies', 'tool.after', decides('deny'), { ...observing });
    const observers = createObservers();
    observers.observe(input, { point: 'tool.after', data: {}, call: null });
    await observers.drain();
    expect(traces.map((one) => [one.hook_id, one.status])).toEqual([
      ['silent', 'ran'],
      ['denies', 'failed'],
    ]);
    expect(input.session.failedOpen).toBe(0);
  });

  it('filters by tool and path as a guard does', async () => {
    const { input, add, ran } = bench();
    add('o', 'tool.after', decides('allow'), { ...observing, filters: { paths: ['src/**'] } });
    const observers = createObservers();
    const seen = (path: string) => {
      const classification = {
        operation: 'modify_file',
        category: 'fs.write',
        reversible: false,
        writePaths: [path],
        paths: [path],
        command: null,
      } as const;
      observers.observe(input, {
        point: 'tool.after',
        data: {},
        call: { callId: path, toolName: 'Write', classification },
      });
    };
    seen('src/a');
    seen('doc/b');
    await observers.drain();
    expect(ran).toHaveLength(1);
  });
});
