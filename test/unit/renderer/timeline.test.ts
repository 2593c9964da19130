import { describe, expect, it } from 'vitest';
import { liveCounts, timelineRows, type CallRow, type TimelineEvent } from '../../../renderer/text/timeline.js';
import { recorded } from '../../support/fake-bridge.js';

const gate = (report: object): TimelineEvent => ({ at: 1, kind: 'gate', report });
const agent = (event: object): TimelineEvent => ({ at: 1, kind: 'agent', event });
const calls = (events: readonly TimelineEvent[]) =>
  timelineRows(events).filter((row): row is CallRow => row.kind === 'call');

describe('the timeline of a practice run', () => {
  const rows = timelineRows(recorded()['runs.show'].events);
  it('brings report, decision and result of a call together', () => {
    const shown = rows.filter((row) => row.kind === 'call').map(({ tool, decision, by }) => ({ tool, decision, by }));
    expect(shown).toEqual([
      { tool: 'shell', decision: 'allow', by: null },
      { tool: 'write', decision: 'deny', by: 'no-secrets-files at file.before_write' },
      { tool: 'shell', decision: 'allow', by: null },
    ]);
  });
  it('shows the question with its answer', () => {
    const asks = rows.filter((row) => row.kind === 'ask');
    expect(asks).toMatchObject([{ answer: 'once', askedBy: [{ reason: 'publishing needs a person' }] }]);
  });
  it('keeps the order, and tells a state once', () => {
    const states = rows.flatMap((row) => (row.kind === 'state' ? [row.text] : []));
    expect(states.slice(0, 4)).toEqual(['preflight', 'awaiting approval', 'starting', 'running']);
    expect(states.filter((text) => text === 'done: finished')).toHaveLength(1);
  });
  it('counts what a live run did so far', () => {
    expect(liveCounts(rows)).toEqual({ calls: 3, denied: 1, asked: 1 });
  });
});

describe('a call', () => {
  it('shows the judged arguments, whichever comes first', () => {
    const judged = gate({
      kind: 'judged',
      callId: 'c',
      toolName: 't',
      args: { a: 1 },
      verdict: 'modify',
      reason: 'r',
      by: null,
    });
    const reported = agent({ kind: 'tool.call', callId: 'c', toolName: 't', args: { a: 2 } });
    for (const events of [
      [judged, reported],
      [reported, judged],
    ])
      expect(calls(events)).toMatchObject([{ args: { a: 1 }, decision: 'modify' }]);
    expect(calls([reported])).toMatchObject([{ args: { a: 2 }, decision: null }]);
  });
  it('says when other arguments were executed', () => {
    const executed = (asJudged: boolean) => gate({ kind: 'executed', callId: 'c', toolName: 't', ok: true, asJudged });
    expect(calls([executed(false)])).toMatchObject([{ differs: true }]);
    expect(calls([executed(true)])).toEqual([]);
  });
});

describe('what cannot be read', () => {
  it('is named, never dropped', () => {
    const odd: TimelineEvent[] = [
      { at: 1, kind: 'later' },
      gate({ kind: 'later' }),
      gate({ kind: 'unknown', event: 'Odd' }),
      agent({ kind: 'later' }),
      { at: 1, kind: 'unparsed', text: 'half a line' },
    ];
    expect(timelineRows(odd)).toHaveLength(odd.length);
  });
  it('breaks nothing when parts are missing', () => {
    const damaged: TimelineEvent[] = [
      ...[{ at: 1, kind: 'gate' }, gate({ kind: 'judged' }), gate({ kind: 'question', question: { askedBy: 'x' } })],
      ...[
        gate({ kind: 'answer', questionId: 'nobody', answer: {} }),
        agent({ kind: 'tool.result' }),
        { at: 1, kind: 'agent' },
      ],
    ];
    expect(() => timelineRows(damaged)).not.toThrow();
  });
  it('takes an answer that it does not know for a no', () => {
    const rows = timelineRows([
      gate({ kind: 'question', question: { id: 'q', toolName: 't', askedBy: [] } }),
      gate({ kind: 'answer', questionId: 'q', answer: { answer: 'later', why: 'w' } }),
    ]);
    expect(rows).toMatchObject([{ kind: 'ask', answer: 'deny', why: 'w' }]);
  });
});
