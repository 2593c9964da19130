/** One step of a practice script. */
export type Step =
  { readonly say: string } | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export interface Script {
  readonly steps: readonly Step[];
  readonly last: string;
  /** False makes the agent report a failure at the end. */
  readonly ok: boolean;
}

/** Prints a secret that nobody uses, another one each time. */
const MAKE_SECRET = `printf 'practice_secret_%s\\n' "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')"`;

/** What the practice agent does when it is given plain words: something harmless, something forbidden, something to ask about, and a leak. */
const DEMONSTRATION: Script = {
  steps: [
    { say: 'I will look around, then set up the project.' },
    { tool: 'shell', input: { command: 'echo "hello from the practice agent"' } },
    { say: 'Now I will store a password in .env (your policy should stop me).' },
    { tool: 'write', input: { path: '.env', content: 'PASSWORD=not-a-real-one\n' } },
    { say: 'Now I will publish the result (your policy should ask you first).' },
    { tool: 'shell', input: { command: 'echo published > published.txt' } },
    {
      say: 'Now a tool shows me a secret (made up just now). It stays in my session, and the exit scan should find it.',
    },
    { tool: 'shell', input: { command: MAKE_SECRET } },
  ],
  last: 'I am done.',
  ok: true,
};

/**
 * The script of a prompt: a prompt that is a JSON object `{"steps":[…],"ok":true}` is played as it
 * stands, other words get the demonstration. Null when it looks like a script but is none.
 */
export function scriptFor(prompt: string): Script | null {
  if (!prompt.trimStart().startsWith('{')) return DEMONSTRATION;
  try {
    const value = JSON.parse(prompt) as { steps?: unknown; last?: unknown; ok?: unknown };
    if (!Array.isArray(value.steps) || !value.steps.every(isStep)) return null;
    return {
      steps: value.steps,
      last: typeof value.last === 'string' ? value.last : 'I am done.',
      ok: value.ok !== false,
    };
  } catch {
    return null;
  }
}

function isStep(value: unknown): value is Step {
  if (typeof value !== 'object' || value === null) return false;
  const step = value as Record<string, unknown>;
  if (typeof step['say'] === 'string') return true;
  return typeof step['tool'] === 'string' && typeof step['input'] === 'object' && step['input'] !== null;
}
