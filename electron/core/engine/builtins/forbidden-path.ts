/**
 * The builtin `forbidden-path`: denies writes that would reach secrets, keys or the repository's own
 * folder. It judges the file that is reached, not the words; it reads no file's content, and what it
 * cannot judge is an error, which denies at a blocking boundary.
 */
import type { Classification } from '../../../../shared/contracts/event.js';
import type { JsonObject } from '../../../../shared/json.js';
import { compileGlobs, type GlobTest } from '../../../../shared/policy/filters.js';
import { fail, ok, type Result } from '../../../../shared/result.js';
import { visibleText } from '../../../../shared/visible-text.js';
import { namedPaths } from './named-paths.js';
import { protectedName, splitPath } from './path-names.js';
import { reach, toMatchForm, type Reached } from './reach.js';

export interface ForbiddenPathOptions {
  /** Globs that are denied too; matched like the `paths` filter, from the workspace's root. */
  readonly patterns?: readonly string[] | undefined;
}

export interface ForbiddenPathEvent {
  readonly workspace: string;
  /** Home folder of the user the agent runs as; null when it is not known. */
  readonly home: string | null;
  readonly classification: Classification;
  readonly args: JsonObject;
  readonly options: ForbiddenPathOptions;
  /** Defaults to this process's platform. */
  readonly platform?: NodeJS.Platform;
}

export type ForbiddenPathAnswer = { readonly action: 'allow' } | { readonly action: 'deny'; readonly reason: string };

/** Allows or denies a call. An error means that a path could not be judged and says why. */
export async function forbiddenPath(event: ForbiddenPathEvent): Promise<Result<ForbiddenPathAnswer, string>> {
  const platform = event.platform ?? process.platform;
  const patterns = compilePatterns(event.options.patterns ?? [], platform);
  if (!patterns.ok) return patterns;
  let unjudged: string | null = null;
  for (const path of judgedPaths(event)) {
    const reached = await reach(path, { workspace: event.workspace, home: event.home, platform });
    if (!reached.ok) {
      unjudged ??= reached.error;
      continue;
    }
    for (const file of reached.value) {
      const why = whyForbidden(file, patterns.value, platform);
      if (why !== null) return ok({ action: 'deny', reason: denial(path, file, why, platform) });
    }
  }
  return unjudged === null ? ok({ action: 'allow' }) : fail(unjudged);
}

/** What the adapter says is written, and every path that an argument names; a call that only reads writes none. */
function judgedPaths(event: ForbiddenPathEvent): ReadonlySet<string> {
  const { classification, args } = event;
  return new Set([...classification.writePaths, ...(classification.reversible ? [] : namedPaths(args))]);
}

function whyForbidden(file: Reached, patterns: GlobTest, platform: NodeJS.Platform): string | null {
  // Inside the workspace only the path from its root counts: the folder's own name may be anything.
  for (const segment of splitPath(file.relativeToWorkspace ?? file.absolute, platform)) {
    const why = protectedName(segment, platform);
    if (why !== null) return why;
  }
  return patterns(toMatchForm(file, platform)) ? "one of the hook's own patterns matches" : null;
}

function denial(path: string, file: Reached, why: string, platform: NodeJS.Platform): string {
  const target = toMatchForm(file, platform);
  const shown = visibleText(target).text;
  const written = visibleText(path).text;
  return `forbidden-path: writing ${shown}${written === shown ? '' : ` (given as ${written})`} is not allowed: ${why}`;
}

/** Patterns of one hook are compiled once; its options object lives as long as its snapshot. */
const compiled = new WeakMap<readonly string[], Map<boolean, GlobTest>>();

function compilePatterns(patterns: readonly string[], platform: NodeJS.Platform): Result<GlobTest, string> {
  const ignoreCase = platform === 'win32' || platform === 'darwin';
  const known = compiled.get(patterns)?.get(ignoreCase);
  if (known !== undefined) return ok(known);
  const tests = compileGlobs(patterns, ignoreCase);
  if (!tests.ok) return fail(tests.error.map((fault) => fault.message).join('; '));
  compiled.set(patterns, (compiled.get(patterns) ?? new Map<boolean, GlobTest>()).set(ignoreCase, tests.value));
  return tests;
}
