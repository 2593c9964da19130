import type { JsonObject } from '../../../shared/json.js';
import { isJsonObject } from '../../../shared/json.js';
import { forbiddenPath, type ForbiddenPathOptions } from '../engine/builtins/forbidden-path.js';
import type { HandlerCall, HandlerOutcome } from '../engine/ports.js';

/** Runs a builtin in process. A builtin that cannot judge has failed, which denies at a blocking boundary. */
export async function runBuiltin(
  { hook, event, classification }: HandlerCall,
  home: string | null,
): Promise<HandlerOutcome> {
  const { handler } = hook;
  if (handler.kind !== 'builtin') throw new Error(`${hook.key} is no builtin`);
  switch (handler.builtin) {
    case 'forbidden-path': {
      if (classification === null) return failed('forbidden-path judges tool calls only');
      const args: JsonObject = isJsonObject(event.data['args']) ? event.data['args'] : {};
      const options: ForbiddenPathOptions = handler.options ?? {};
      const answer = await forbiddenPath({ workspace: event.workspace, home, classification, args, options });
      if (!answer.ok) return failed(answer.error);
      return { kind: 'decision', decision: { schema_version: 1, ...answer.value }, exitStatus: null };
    }
  }
}

function failed(error: string): HandlerOutcome {
  return { kind: 'failed', error, exitStatus: null, timedOut: false, truncated: false };
}
