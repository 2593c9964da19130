/**
 * The values that a script gives its own variables and positions. Values only add up: a branch not
 * taken may have given any of them, so none is ever the only one.
 */
import type { Assignment } from 'unbash';
import { literal, type Operand } from './options.js';
import { wordTexts } from './words.js';

export interface Values {
  readonly variables: Map<string, Set<string>>;
  readonly input: Operand | null;
}

/** More values of one variable than this are not kept. */
const MAX_VALUES = 16;

export function assign(state: Values, { name, value, append }: Assignment): void {
  const values = value.type === 'Word' ? [value] : value.elements;
  const texts = values.flatMap((word) => wordTexts(word, state.variables).texts);
  const before = append === true ? [...(state.variables.get(name) ?? [''])] : [''];
  remember(
    state,
    name,
    texts.flatMap((text) => before.map((old) => old + text)),
  );
}

export function givePositions(state: Values, words: readonly Operand[]): void {
  words.forEach((word, index) => {
    remember(state, String(index), word.texts);
    if (index > 0) for (const every of ['@', '*']) remember(state, every, word.texts);
  });
}

/** Commands that give variables their values by words: `set`, `read`, `mapfile`, `printf -v`, `env`, `sudo`. */
export function giveValues(state: Values, name: string, words: readonly Operand[]): void {
  const texts = words.map((word) => word.texts[0] ?? '');
  if (name === 'set') givePositions(state, [literal(''), ...words.slice(texts[0] === '--' ? 1 : 0)]);
  if (name === 'printf' && texts[0] === '-v') {
    const said = words.slice(3).length > 0 ? words.slice(3) : words.slice(2);
    for (const word of said) remember(state, texts[1] ?? '', word.texts);
  }
  if (['read', 'mapfile', 'readarray'].includes(name)) {
    const read = (state.input?.texts ?? []).flatMap((text) => [text.trim(), ...text.split(/\s+/)]).filter(Boolean);
    for (const text of ['REPLY', 'MAPFILE', ...texts]) if (/^[A-Za-z_]\w*$/.test(text)) remember(state, text, read);
  }
  if (name !== 'env' && name !== 'sudo' && name !== 'doas') return;
  for (const text of texts) {
    const [, variable, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(text) ?? [];
    if (variable !== undefined && value !== undefined) remember(state, variable, [value]);
  }
}

export function remember(state: Values, name: string, texts: readonly string[]): void {
  const known = state.variables.get(name) ?? new Set<string>();
  for (const text of texts) if (known.size < MAX_VALUES) known.add(text);
  state.variables.set(name, known);
}
