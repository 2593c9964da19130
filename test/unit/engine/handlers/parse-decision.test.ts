import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecision, refuseDecision } from '../../../../electron/core/engine/handlers/parse-decision.js';

const ALLOW = '{"schema_version":1,"action":"allow"}';
const parse = (text: string | Uint8Array) => parseDecision(typeof text === 'string' ? Buffer.from(text) : text);
const faultOf = (text: string | Uint8Array) => {
  const result = parse(text);
  return result.ok ? null : result.error;
};

describe('reading a decision', () => {
  it.each([ALLOW, `${ALLOW}\n`, `\r\n\t ${ALLOW} \n`, '{\n "schema_version": 1,\n "action": "allow"\n}'])(
    'takes %j',
    (text) => {
      expect(parse(text)).toEqual({ ok: true, value: { schema_version: 1, action: 'allow' } });
    },
  );

  it('takes every field', () => {
    const full = {
      schema_version: 1,
      action: 'modify',
      reason: 'safer',
      mutations: { args: { a: 1 } },
      output: { n: 1 },
    };
    expect(parse(JSON.stringify(full))).toEqual({ ok: true, value: full });
  });

  it.each(['', '\n', ' \t\r\n '])('sees that there is none in %j', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: null });
  });

  it.each([
    ['text before', `checking…\n${ALLOW}`, 'begins with something other'],
    ['text after', `${ALLOW}\ndone`, 'has more after the decision'],
    ['a second object', `${ALLOW}${ALLOW}`, 'has more after the decision'],
    [
      'a second object on its own line',
      `${ALLOW}\n{"schema_version":1,"action":"deny"}`,
      'has more after the decision',
    ],
    ['a list', `[${ALLOW}]`, 'begins with something other'],
    ['a bare word', 'allow', 'begins with something other'],
    ['half an object', '{"schema_version":1,', 'is no JSON'],
    ['a comment', '{/* yes */"schema_version":1,"action":"allow"}', 'is no JSON'],
    ['a trailing comma', '{"schema_version":1,"action":"allow",}', 'is no JSON'],
    ['a non-breaking space', `\u00a0${ALLOW}`, 'begins with something other'],
    ['a key twice', '{"schema_version":1,"action":"deny","action":"allow"}', 'has a key twice'],
    ['__proto__', '{"schema_version":1,"action":"allow","__proto__":{}}', 'has a key twice'],
    [
      'too much depth',
      `{"schema_version":1,"action":"allow","output":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
      'nested too deep',
    ],
    ['an unknown action', '{"schema_version":1,"action":"maybe"}', 'unknown action'],
    ['no action', '{"schema_version":1}', 'unknown action'],
    ['another version', '{"schema_version":2,"action":"allow"}', '"schema_version": 1'],
    ['an unknown field', '{"schema_version":1,"action":"allow","extra":1}', 'unknown field'],
    ['a wrong type', '{"schema_version":1,"action":"deny","reason":5}', 'wrong "reason"'],
    ['mutations without modify', '{"schema_version":1,"action":"allow","mutations":{}}', '"mutations"'],
    ['modify without mutations', '{"schema_version":1,"action":"modify"}', '"mutations"'],
  ])('refuses %s', (_name, text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });

  it('refuses a byte order mark, by name, and bytes that are no UTF-8', () => {
    expect(faultOf(`\ufeff${ALLOW}`)).toContain('BOM');
    expect(faultOf(Buffer.from(ALLOW, 'utf16le'))).not.toBeNull();
    expect(faultOf(Buffer.from([0x7b, 0xff, 0x7d]))).toContain('not UTF-8');
  });

  it('never repeats what the handler wrote', () => {
    const secret = 'hunter2secret';
    const around = fc.constantFrom(
      `${secret} ${ALLOW}`,
      `${ALLOW} ${secret}`,
      `{"${secret}":1,"${secret}":2}`,
      `{"schema_version":1,"action":"${secret}"}`,
      `{"schema_version":1,"action":"allow","${secret}":1}`,
      `{"schema_version":1,"action":"allow","reason":["${secret}"]}`,
      `{"schema_version":1,"action":"allow",${secret}}`,
    );
    fc.assert(
      fc.property(around, fc.string(), (text, noise) => {
        const fault = faultOf(text + noise);
        expect(fault).not.toBeNull();
        expect(fault).not.toContain(secret);
      }),
    );
  });

  it('takes nothing but what JSON.parse takes as one object', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string(), fc.constant(ALLOW)),
        fc.constantFrom('', ' ', ALLOW, '}', ','),
        (a, b) => {
          const result = parse(a + b);
          if (result.ok && result.value !== null) expect(JSON.parse(a + b)).toMatchObject({ schema_version: 1 });
        },
      ),
    );
  });
});

describe('whether a hook may give a decision', () => {
  const needs = { decisions: ['allow', 'deny'] as const, operations: [], signals: [] };
  it.each([
    ['blocking', 'tool.before', 'allow', null],
    ['blocking', 'tool.before', 'modify', 'needs.decisions'],
    ['blocking', 'turn.stopping', 'request_approval', 'no answer at turn.stopping'],
    ['observational', 'tool.after', 'allow', null],
    ['observational', 'tool.before', 'deny', 'observational'],
  ] as const)('%s at %s: %s', (mode, point, action, fault) => {
    const refusal = refuseDecision({ mode, point, needs }, { schema_version: 1, action });
    if (fault === null) expect(refusal).toBeNull();
    else expect(refusal).toContain(fault);
  });
});
