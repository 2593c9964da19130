/**
 * What the tray's menu says. Job: entries with what each does, as data. Pure; it shows nothing.
 */
import type { EventOf } from '../../shared/bridge/channels.js';
import type { PromptView, RunSummary } from '../../shared/bridge/views.js';
import { visibleText } from '../../shared/visible-text.js';
import type { TrayState } from './icon-shapes.js';

/** What a click leads to. */
export type TrayAct =
  | { readonly act: 'open'; readonly to: EventOf<'navigate'> | null }
  | { readonly act: 'prompt'; readonly id: string }
  | { readonly act: 'stop'; readonly id: string }
  | { readonly act: 'quit' };

export type TrayEntry =
  | { readonly kind: 'line' }
  | { readonly kind: 'words'; readonly label: string }
  | { readonly kind: 'item'; readonly label: string; readonly act: TrayAct }
  | { readonly kind: 'menu'; readonly label: string; readonly entries: readonly TrayEntry[] };

export interface TrayFacts {
  /** Oldest first. */
  readonly live: readonly RunSummary[];
  readonly prompts: readonly PromptView[];
  /** Runs that have ended, newest first. */
  readonly last: readonly RunSummary[];
  /** Ids of red runs that nobody has looked at. */
  readonly red: ReadonlySet<string>;
}

/** Longest label, in characters. */
const LONGEST = 60;

/** The state that the picture shows: what needs a person comes first, since that is a matter of minutes. */
export function trayState({ live, prompts, red }: TrayFacts): TrayState {
  if (prompts.length > 0) return 'waiting';
  if (red.size > 0) return 'red';
  return live.length > 0 ? 'running' : 'idle';
}

/** While the app opens its state folder; what is clicked then happens once it is open. */
export function startingEntries(): readonly TrayEntry[] {
  return [
    { kind: 'words', label: 'Starting…' },
    { kind: 'line' },
    item('Open Sallyport', { act: 'open', to: null }),
    { kind: 'line' },
    item('Quit', { act: 'quit' }),
  ];
}

export function trayEntries(facts: TrayFacts): readonly TrayEntry[] {
  const { live, prompts, last } = facts;
  const line: TrayEntry = { kind: 'line' };
  const group = (entries: readonly TrayEntry[]) => (entries.length === 0 ? [] : [...entries, line]);
  return [
    { kind: 'words', label: summary(facts) },
    line,
    item('New run…', { act: 'open', to: { to: 'new-run', id: null } }),
    line,
    ...group(prompts.map((prompt) => item(promptLabel(prompt), { act: 'prompt', id: prompt.id }))),
    ...group(live.map(liveEntry)),
    ...group(last.length === 0 ? [] : [{ kind: 'menu', label: 'Last runs', entries: last.map(lastEntry) }]),
    item('Open Sallyport', { act: 'open', to: null }),
    item('Doctor', { act: 'open', to: { to: 'doctor', id: null } }),
    line,
    item('Quit', { act: 'quit' }),
  ];
}

/** The state in words, for those who cannot see the picture. */
function summary({ live, prompts, red }: TrayFacts): string {
  const said = [
    prompts.length === 0 ? '' : `${prompts.length} waiting for you`,
    red.size === 0 ? '' : count(red.size, 'red run'),
    live.length === 0 ? '' : `${count(live.length, 'run')} live`,
  ].filter((text) => text !== '');
  return said.length === 0 ? 'Nothing is running' : said.join(', ');
}

function liveEntry(run: RunSummary): TrayEntry {
  return {
    kind: 'menu',
    label: label(`${run.agent}: ${run.prompt}`),
    entries: [item('Show', { act: 'open', to: { to: 'run', id: run.id } }), item('Stop', { act: 'stop', id: run.id })],
  };
}

function lastEntry(run: RunSummary): TrayEntry {
  const outcome = (run.outcome ?? run.phase).replaceAll('_', ' ');
  return item(`${run.colour}, ${outcome}: ${run.prompt}`, { act: 'open', to: { to: 'run', id: run.id } });
}

function promptLabel(prompt: PromptView): string {
  return prompt.kind === 'trust'
    ? `May this run? ${prompt.subject.title}`
    : `${prompt.agent} asks: ${prompt.toolName} in ${prompt.workspace.split(/[/\\]/).at(-1) ?? ''}`;
}

function item(text: string, act: TrayAct): TrayEntry {
  return { kind: 'item', label: label(text), act };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Text of others is shown as it is; `&` would mark a key. */
function label(text: string): string {
  const characters = Array.from(visibleText(text).text);
  const short = characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
  return short.replaceAll('&', '&&');
}
