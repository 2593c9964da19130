import { describe, expect, it } from 'vitest';
import { ALL_RULES, findSecrets, secretText } from '../../../electron/core/redaction/rules/find.js';
import { LIBRARY_RULES } from '../../../electron/core/redaction/rules/library-rules.js';
import { OWN_RULES } from '../../../electron/core/redaction/rules/own-rules.js';

const made = (length: number) => 'q7Rk2Lw9Zx4Tb8Nc5Vm3Hd6Jf1Gs0Py'.repeat(9).slice(0, length);

describe('own rules', () => {
  for (const rule of OWN_RULES) {
    it(`${rule.id} finds its examples, in JSON text too, and leaves the others`, () => {
      for (const text of rule.examples.match) {
        expect(
          findSecrets(text).map((hit) => hit.rule),
          text,
        ).toContain(rule.id);
        expect(
          findSecrets(JSON.stringify({ text: `a\n${text}\n` })).map((hit) => hit.rule),
          text,
        ).toContain(rule.id);
      }
      for (const text of rule.examples.not) expect(findSecrets(text), text).toEqual([]);
    });
  }
});

describe('the rules of the library', () => {
  it('are nineteen single rules, each found by its keywords', () => {
    const examples: Record<string, string> = {
      'secretlint-1password': `ops_${Buffer.from(JSON.stringify({ a: 'x'.repeat(125) })).toString('base64')}`,
      'secretlint-anthropic': `sk-ant-api03-${made(93)}AA`,
      'secretlint-aws': `aws_secret_access_key = ${made(40)} `,
      'secretlint-basicauth': `https://bob:${made(12)}@git.acme.io/`,
      'secretlint-connection-string': `mysql://svc:${made(12)}@db.internal/app`,
      'secretlint-databricks': `dapi${'0a1b2c3d'.repeat(4)}`,
      'secretlint-docker': `dckr_pat_${made(27)}`,
      'secretlint-figma': `figd_${made(40)}`,
      'secretlint-github': `ghp_${made(36)}`,
      'secretlint-gitlab': `glpat-${made(20)}`,
      'secretlint-grafana': `glsa_${made(32)}_0a1b2c3d`,
      'secretlint-hashicorp-vault': `hvs.${made(95)}`,
      'secretlint-linear': `lin_api_${made(40)}`,
      'secretlint-npm': `npm_${made(36)}`,
      'secretlint-openai': `sk-${made(20)}T3BlbkFJ${made(20)}`,
      'secretlint-privatekey': `-----BEGIN PRIVATE KEY-----\nMI${made(120)}\n-----END PRIVATE KEY-----`,
      'secretlint-sendgrid': `SG.${made(22)}.${made(43)}`,
      'secretlint-slack': `xoxb-123456789012-${made(24)}`,
    };
    const gcp = JSON.stringify({ private_key_id: 'a', private_key: `-----BEGIN PRIVATE KEY-----\n${made(40)}` });
    for (const rule of LIBRARY_RULES) {
      const text = examples[rule.id] ?? gcp;
      expect(rule.find(text, { ext: '.json', name: 'a.json' }), rule.id).toHaveLength(1);
      expect(
        rule.keywords.some((keyword) => text.toLowerCase().includes(keyword)),
        rule.id,
      ).toBe(true);
      // What the redactor would leave, the exit scan would find: each form must be one of all rules' too.
      expect(findSecrets(text).length, rule.id).toBeGreaterThan(0);
    }
    expect(LIBRARY_RULES).toHaveLength(19);
    expect(new Set(ALL_RULES.map((rule) => rule.id)).size).toBe(ALL_RULES.length);
  });

  it('take no orders from the text', () => {
    const key = `ghp_${made(36)}`;
    for (const order of ['secretlint-disable', 'secretlint-disable-line', 'secretlint-disable-next-line'])
      expect(findSecrets(`/* ${order} */\n// ${order}\n# ${order}\n${key} // ${order}\n`)).toHaveLength(1);
  });
});

it('is not hidden by a mark that is none of ours', () => {
  const key = `ghp_${made(36)}`;
  expect(findSecrets(`[REDACTED:${key}]`)).toHaveLength(1);
  expect(findSecrets(`[REDACTED:${key}:0a1b2c3d]`)).toHaveLength(1);
  expect(findSecrets('postgres://svc:[REDACTED:AWS_SECRET_KEY]@db.internal/app')).toEqual([]);
});

it.each([
  'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  'commit e4c6a29b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f',
  'sha512-9NZ0G0fT4r8KQ8bOQ0yVYbq0aX2h5bqJ8sY1fP0r3m7c9w2v6u4t1s0q8p7o6n5m4l3k2j1i0h9g8f7e6d5c4b==',
  'AKIAIOSFODNN7EXAMPLE',
  '{"cache_read_input_tokens":123456,"cache_creation_input_tokens":0}',
  'const key = os.getenv("API_KEY")',
  'API_KEY=process.env.API_KEY',
  'npm_config_registry=https://registry.example.org/',
  'git@github.com:owner/repository.git https://example.com/a:b@c',
  'toolu_01A09q90qw90lq917835lq9 msg_013Zva2CMHLNnjNjJKqJ2EF',
])('%s is no secret', (text) => {
  expect(findSecrets(text)).toEqual([]);
  expect(findSecrets(JSON.stringify({ text }))).toEqual([]);
});

it('gives the finds of all rules in the order of the text, none overlapping', () => {
  const [github, anthropic] = [`ghp_${made(36)}`, `sk-ant-api03-${made(93)}AA`];
  const text = [github, anthropic, `x ${github}1`, `postgres://svc:${made(12)}@db.acme.io/a`, anthropic].join(' ');
  const found = findSecrets(text);
  expect(found.map((hit) => hit.rule)).toEqual([
    ...['github-token', 'anthropic-key', 'github-token', 'url-password', 'anthropic-key'],
  ]);
  for (const [at, hit] of found.entries()) expect(hit.start).toBeGreaterThanOrEqual(found[at - 1]?.end ?? 0);
});

it('leaves out the rules that it is told to', () => {
  const text = `ghp_${made(36)} and sk-ant-api03-${made(93)}`;
  expect(findSecrets(text, undefined, () => false)).toEqual([]);
  const some = findSecrets(text, undefined, (rule) => !rule.id.includes('github'));
  expect(some.map((hit) => hit.rule)).toEqual(['anthropic-key']);
});

it('opens no file, whatever the name of what it looks at', () => {
  const place = { ext: '.p12', name: '/etc/hostname' };
  for (const rule of ALL_RULES) expect(rule.find('private_key_id', place), rule.id).toEqual([]);
});

it('takes a key for the same key however its lines are broken', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${made(64)}\n${made(64)}\n-----END RSA PRIVATE KEY-----`;
  const texts = [key, JSON.stringify(key), JSON.stringify(JSON.stringify(key)), key.replaceAll('\n', '\r\n')];
  const secrets = texts.map((text) => findSecrets(text).map((hit) => secretText(text, hit)));
  expect(new Set(secrets.flat()).size).toBe(1);
  expect(secrets.every((one) => one.length === 1)).toBe(true);
});
