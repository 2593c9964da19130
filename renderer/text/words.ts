/** The words of the interface for what comes as data. Pure. */
import type { HookView, PreflightView, RunDetail, RunSummary } from '../../shared/bridge/views.js';
import type { BypassLevel } from '../../shared/contracts/vocabulary.js';

export type Tone = 'red' | 'amber' | 'grey' | 'green' | 'live';

/** The colour of a run as a word. */
export const COLOUR_WORDS: Readonly<Record<RunSummary['colour'], string>> = {
  red: 'Red',
  amber: 'Amber',
  grey: 'Grey',
  green: 'Green',
  live: 'Live',
};

/** `waiting_for_approval` and the like, as words. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** How a run stands: its outcome when it has ended, else what it does now. */
export function standing({ phase, outcome, waiting }: Pick<RunSummary, 'phase' | 'outcome' | 'waiting'>): string {
  if (phase === 'done' && outcome !== null) return words(outcome);
  return waiting > 0 ? 'waiting for you' : words(phase);
}

/** The last part of a path, for lists; the whole path belongs beside it. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

export const SUBJECT_WORDS: Readonly<Record<string, string>> = {
  'hook-argv': 'command of a hook',
  'agent-program': 'program of an agent',
  'workspace-agent-config': 'agent configuration that the workspace brings',
};

/** What kind of thing a person is asked about. */
export function subjectWords(kind: string): string {
  return SUBJECT_WORDS[kind] ?? words(kind);
}

export const BYPASS_WORDS: Readonly<Record<BypassLevel, { readonly name: string; readonly meaning: string }>> = {
  none: {
    name: 'None',
    meaning: 'The agent keeps its own permission prompts. What it would ask comes to you as an approval.',
  },
  enable: {
    name: 'Enable',
    meaning: 'The agent may be switched to bypass within the session. It starts with its own prompts on.',
  },
  activate: {
    name: 'Activate',
    meaning: 'The agent starts without its own permission prompts. Only your hooks stand between it and your machine.',
  },
  no_sandbox: {
    name: 'No sandbox',
    meaning:
      "As Activate, and also without the agent's own sandbox. Only your hooks stand between it and your machine.",
  },
};

const EFFECT_WORDS: Readonly<Record<string, string>> = {
  left_out: 'the hook is left out of the plan',
  blind: 'the hook is in the plan, but sees less',
  accept: 'the run starts only if you accept it',
  refused: 'the run is refused',
  named: 'named, so that you know',
};

/** What a gap does to the plan. */
export function effectWords(effect: string): string {
  return EFFECT_WORDS[effect] ?? words(effect);
}

/** True when the launch waits for an explicit "run without it". */
export function needsAcceptance(gaps: PreflightView['gaps']): boolean {
  return gaps.some((gap) => gap.effect === 'accept');
}

const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'workspace-config': 'left out',
  'rewrite-gap': 'can rewrite calls',
  refused: 'refuses the run',
};

export function foreignWords(kind: string): string {
  return FOREIGN_WORDS[kind] ?? words(kind);
}

const HOOK_TONES: Readonly<Record<string, Tone>> = {
  active: 'green',
  inert: 'amber',
  changed: 'amber',
  broken: 'red',
  'not-loaded': 'red',
};

/** The tone of a hook's state; shadowed, off and what is not known are grey. */
export function hookTone(state: HookView['state']): Tone {
  return HOOK_TONES[state] ?? 'grey';
}

/** `1 thing`, `2 things`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** How a run's receipt stands, in a few words; its own page says more. */
export function receiptWords({ state, sequence }: RunDetail['record']['receipt']): string {
  switch (state) {
    case 'signed':
      return `Signed receipt, number ${sequence ?? '?'}.`;
    case 'unsigned':
      return 'Its receipt is not signed.';
    case 'failed':
      return 'Its receipt could not be made.';
    case 'none':
      return 'No receipt.';
  }
}
