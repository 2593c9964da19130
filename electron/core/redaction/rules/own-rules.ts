/** The app's own rules: what the library has no rule for, or one that is too narrow for cut, escaped or new forms. */
import type { Hit, Rule } from './rule.js';

interface OwnRule extends Rule {
  readonly examples: { readonly match: readonly string[]; readonly not: readonly string[] };
}

interface Pattern {
  readonly id: string;
  readonly keywords: readonly string[];
  /** Global, with indices; the secret is the group `secret`, else all of it. Every repetition is bounded. */
  readonly pattern: RegExp;
  /** True for what has the form but is none; `whole` is all that the pattern matched. */
  readonly innocent?: (secret: string, whole: string) => boolean;
  readonly examples: OwnRule['examples'];
}

/** A made-up run of letters and digits, so that no example in this file is itself of a secret's form. */
function made(length: number, alphabet = 'q7Rk2Lw9Zx4Tb8Nc5Vm3Hd6Jf1Gs0Py'): string {
  return alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
}

/** Placeholders such as `xxxxxxxx` or `your-key-here` use few characters; keys are random. */
function looksMadeUp(secret: string): boolean {
  return new Set(secret.slice(-24)).size < 8;
}

/** No letter or digit before it: `task-proj-…` is no `sk-proj-…`. */
const EDGE = '(?<![A-Za-z0-9])';
const PEM_LABEL = '(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?';

const PATTERNS: readonly Pattern[] = [
  {
    id: 'anthropic-key',
    keywords: ['sk-ant-'],
    pattern: /sk-ant-[a-z]{2,12}\d{2}-[A-Za-z0-9_-]{24,256}/dg,
    innocent: looksMadeUpUnless(80),
    examples: {
      match: [`sk-ant-api03-${made(93)}`, `"key":"sk-ant-admin01-${made(40)}"`, `\\nsk-ant-oat01-${made(80)}AA`],
      not: ['sk-ant-api03-', `sk-ant-api03-${'x'.repeat(30)}`, 'sk-ant-… is how a key begins'],
    },
  },
  {
    id: 'openai-key',
    keywords: ['sk-'],
    pattern: new RegExp(
      `${EDGE}sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,300}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}(?![A-Za-z0-9]))`,
      'gd',
    ),
    innocent: looksMadeUpUnless(100),
    examples: {
      match: [`sk-proj-${made(120)}`, `OPENAI=sk-svcacct-${made(60)}`, `sk-${made(20)}T3BlbkFJ${made(20)}`],
      not: [`task-proj-${made(60)}`, 'sk-proj-short', `sk-proj-${'x'.repeat(48)}`],
    },
  },
  {
    id: 'github-token',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{36,255})/dg,
    examples: {
      match: [`ghp_${made(36)}`, `github_pat_${made(22)}_${made(59)}`, `\\tghs_${made(36)}`],
      not: ['ghp_short', 'github_pat_', 'graph_ghp_node'],
    },
  },
  {
    id: 'private-key',
    keywords: ['private key'],
    // One line of 32 characters at least, so that a text about keys is none; the END line may be missing.
    pattern: new RegExp(
      `-----BEGIN ?${PEM_LABEL}-----` +
        `(?:\\s{0,8}(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\\n\\r"]{0,120}?(?=\\s)){0,5}` +
        `\\s{0,16}(?=[A-Za-z0-9+/=]{32})[A-Za-z0-9+/=\\s]{32,65536}(?:-----END ?${PEM_LABEL}-----)?`,
      'gd',
    ),
    examples: {
      match: [
        `-----BEGIN RSA PRIVATE KEY-----\n${made(64)}\n${made(64)}\n-----END RSA PRIVATE KEY-----`,
        `-----BEGIN OPENSSH PRIVATE KEY-----\n${made(64)}\n${made(40)}`,
      ],
      not: [
        '-----BEGIN PRIVATE KEY----- is the first line of a key',
        `-----BEGIN PUBLIC KEY-----\n${made(64)}\n-----END PUBLIC KEY-----`,
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
      ],
    },
  },
  {
    id: 'slack-token',
    keywords: ['xox', 'xapp-', 'hooks.slack.com'],
    pattern:
      /(?:xox[abceoprs]-(?:\d-)?[A-Za-z0-9-]{20,250}|xapp-\d-[A-Za-z0-9-]{20,250}|hooks\.slack\.com\/services\/T[A-Za-z0-9]{1,40}\/B[A-Za-z0-9]{1,40}\/[A-Za-z0-9]{1,40})/dg,
    examples: {
      match: [`xoxb-123456789012-${made(24)}`, `https://hooks.slack.com/services/T0001/B0001/${made(24)}`],
      not: ['xoxb-', 'https://hooks.slack.com/services/'],
    },
  },
  {
    id: 'aws-key-id',
    keywords: ['akia', 'asia'],
    pattern: new RegExp(`${EDGE}(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])`, 'gd'),
    innocent: (secret) => secret.endsWith('EXAMPLE'),
    examples: {
      match: [`AKIA${made(16, 'Q7RK2LW4ZX5TB6NC')}`],
      not: ['AKIAIOSFODNN7EXAMPLE', 'AKIA', 'MALASIAQ7RK2LW4ZX5TB6N'],
    },
  },
  {
    id: 'aws-secret-key',
    keywords: ['secret'],
    pattern:
      /(?:aws|AWS|Aws)?[_-]?(?:secret|SECRET|Secret)[_-]?(?:access|ACCESS|Access)?[_-]?(?:key|KEY|Key)\s{0,4}["']?\s{0,4}(?::|=>|=)\s{0,4}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dg,
    innocent: (secret) => secret.endsWith('EXAMPLEKEY') || looksMadeUp(secret) || /^[0-9a-f]{40}$/.test(secret),
    examples: {
      match: [`aws_secret_access_key = ${made(40)}`, `"SecretAccessKey": "${made(40)}"`],
      not: ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'os.getenv("AWS_SECRET_ACCESS_KEY")'],
    },
  },
  {
    id: 'google-api-key',
    keywords: ['aiza'],
    pattern: new RegExp(`${EDGE}AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`, 'gd'),
    innocent: looksMadeUp,
    examples: { match: [`AIza${made(35)}`], not: ['AIza', `AIza${'x'.repeat(35)}`] },
  },
  {
    id: 'stripe-key',
    keywords: ['k_live_', 'whsec_'],
    pattern: new RegExp(`${EDGE}(?:(?:sk|rk)_live_[A-Za-z0-9]{20,247}|whsec_[A-Za-z0-9+/=]{32,64})`, 'gd'),
    innocent: looksMadeUp,
    examples: { match: [`sk_live_${made(24)}`, `rk_live_${made(99)}`], not: [`sk_test_${made(24)}`, 'sk_live_'] },
  },
  {
    id: 'hugging-face-token',
    keywords: ['hf_'],
    pattern: new RegExp(`${EDGE}hf_[A-Za-z]{34}(?![A-Za-z0-9])`, 'gd'),
    innocent: looksMadeUp,
    examples: { match: [`hf_${made(34, 'qRkLwZxTbNcVmHdJfGsPy')}`], not: ['hf_hub_download', `hf_${'x'.repeat(34)}`] },
  },
  {
    id: 'service-token',
    keywords: [
      'npm_',
      'glpat-',
      'dckr_pat_',
      'lin_api_',
      'figd_',
      'glsa_',
      'glc_',
      'dapi',
      'hvs.',
      'hvb.',
      'hvr.',
      'ops_ey',
      'sg.',
    ],
    pattern: new RegExp(
      `${EDGE}(?:npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])|glpat-[A-Za-z0-9_.-]{20,256}|dckr_pat_[A-Za-z0-9_-]{27}|lin_api_[A-Za-z0-9_]{32,128}|` +
        'figd_[A-Za-z0-9_-]{40,200}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}|' +
        'dapi[A-Fa-f0-9]{32}(?:-[0-9])?|hv[sbr]\\.[A-Za-z0-9_-]{90,300}|ops_ey[A-Za-z0-9+/=]{100,1290}|' +
        'SG\\.[A-Za-z0-9_-]{16,128}\\.[A-Za-z0-9_-]{16,160})',
      'gd',
    ),
    innocent: looksMadeUp,
    examples: {
      match: [`npm_${made(36)}`, `glpat-${made(20)}`, `SG.${made(22)}.${made(43)}`],
      not: [
        `npm_${'a_long_name_of_a_message_in_a_program'.slice(0, 36)}`,
        'npm_config_registry',
        'npm_package_json',
        'SG.first.second',
      ],
    },
  },
  {
    id: 'npm-auth-token',
    keywords: ['_authtoken='],
    pattern: /_authToken=["']?(?<secret>[A-Za-z0-9_+/=.-]{16,512})/dg,
    innocent: looksMadeUp,
    examples: {
      match: [`//registry.example/:_authToken=${made(36)}`],
      not: ['//registry.example/:_authToken=${NPM_TOKEN}'],
    },
  },
  {
    id: 'url-password',
    keywords: ['://'],
    // User and password of a URL; the password alone is the secret.
    pattern:
      /[A-Za-z][A-Za-z0-9+.-]{1,19}:\/\/[^\s:/?#@"'<>\\[\]]{0,100}:(?<secret>[^\s/?#@"'<>\\[\]]{4,200})@(?:[A-Za-z0-9.-]{1,255}|\[)/dg,
    innocent: (secret, whole) => isPlaceholder(secret) || isNobodysHost(whole),
    examples: {
      match: [
        'postgres://svc:8hTq2LmZ@db.internal/app',
        'https://bob:Zx4Tb8Nc@git.internal/',
        'amqp://a:q7Rk2Lw9@mq',
        'redis://:q7Rk2Lw9@cache.internal:6379',
      ],
      not: [
        'https://user:password@git.internal',
        'https://bob:Zx4Tb8Nc@example.com/',
        'redis://:q7Rk2Lw9@localhost:6379',
        'postgres://u:${DB_PASS}@h/db',
        'http://localhost:8080/a@b',
        'git@github.com:a/b.git',
      ],
    },
  },
  {
    // What the practice agent plants and leaks, so that the end of a run can be tried without anybody's key.
    id: 'practice-secret',
    keywords: ['practice_secret_'],
    pattern: /practice_secret_[a-z0-9]{32}(?![a-z0-9])/dg,
    examples: {
      match: [`practice_secret_${made(32, 'q7rk2lw9zx4tb8nc5vm3hd6jf1gs0pyu')}`],
      not: ['practice_secret_', 'practice_secret_id'],
    },
  },
];

function looksMadeUpUnless(length: number): (secret: string) => boolean {
  return (secret) => secret.length < length && looksMadeUp(secret);
}

/** Hosts that stand for one in documentation, and this machine. */
export function isNobodysHost(url: string): boolean {
  return /@(?:localhost|127\.0\.0\.1|(?:[a-z0-9-]{1,63}\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)|host|hostname|server|my[a-z]{0,20})(?![A-Za-z0-9.-])/i.test(
    url,
  );
}

/** Words that stand for a password in documentation, and templates. */
function isPlaceholder(secret: string): boolean {
  return (
    /^(?:.?pass(?:word|wd)?\d{0,4}|[a-z]{0,4}secret|replace.{0,40}|your.{0,40}|changeme|example|token|pwd|x+|\*+|\.+|my.?password|your.?password|root|admin|user|test)$/i.test(
      secret,
    ) || /[${}%()]|^:|^(.)\1+$/.test(secret)
  );
}

function ruleOf({ id, keywords, pattern, innocent, examples }: Pattern): OwnRule {
  return {
    id,
    keywords,
    examples,
    find: (text) => {
      const hits: Hit[] = [];
      for (const match of text.matchAll(pattern)) {
        const [start, end] = match.indices?.groups?.['secret'] ?? match.indices?.[0] ?? [match.index, match.index];
        if (innocent?.(text.slice(start, end), match[0]) !== true) hits.push({ start, end });
      }
      return hits;
    },
  };
}

export const OWN_RULES: readonly OwnRule[] = PATTERNS.map(ruleOf);
