/** Finds what commands on runs ask for. It reads the state folder and changes nothing in it. */
import { fail, ok, type Result } from '../../../shared/result.js';
import { visibleText } from '../../../shared/visible-text.js';
import { listRunIds } from '../../core/store/run-folder.js';
import type { StateFolder } from '../../core/store/layout.js';

/** Most rows that one list shows. */
const MOST = 100_000;

/** Reads `--limit`; an error says what is allowed. */
export function readLimit(text: string): Result<number, string> {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST) return ok(limit);
  return fail(`--limit takes a whole number from 1 to ${MOST}, not ${visibleText(JSON.stringify(text)).text}`);
}

/** The one run whose id is, or begins with, what was typed (`run_` may be left out). */
export async function findRunId(state: StateFolder, typed: string): Promise<Result<string, string>> {
  const begin = typed.startsWith('run_') ? typed : `run_${typed}`;
  const shown = visibleText(JSON.stringify(typed)).text;
  const ids = typed === '' ? [] : (await listRunIds(state)).filter((id) => id.startsWith(begin));
  const [only, ...others] = [...ids].sort();
  if (only === undefined) {
    return fail(`there is no run ${shown} in ${visibleText(state.dir).text}; sallyport runs list names them`);
  }
  if (others.length === 0) return ok(only);
  const list = [only, ...others].slice(0, 5).join(', ');
  return fail(
    `${shown} is the beginning of ${ids.length} runs (${list}${ids.length > 5 ? ', …' : ''}); give more of the id`,
  );
}
