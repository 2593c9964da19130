/**
 * Answers -> the agent's own form. It reads strictly and fails open: a denial without a reason, with any other key
 * or beside anything else lets the tool run (measured). So each answer is one exact object and no more.
 */
import type { JsonObject } from '../../../../shared/json.js';
import type { Answer, NativeAnswer } from '../contract.js';

/** No objection (measured: an empty object changes nothing; at PermissionRequest the agent's own policy then refuses). */
const NO_OBJECTION: NativeAnswer = { body: '{}', exit: 0, stderr: '' };

/** The answer for an event. What an event cannot carry becomes a denial, never an allow. */
export function formatHookOutput(event: string, answer: Answer): NativeAnswer {
  if (answer.verdict === 'allow') return NO_OBJECTION;
  switch (event) {
    case 'PreToolUse':
      return answer.verdict === 'modify' ? rewrite(answer.args) : denyTool(reasonOf(answer));
    case 'PermissionRequest':
      return permission(answer);
    case 'Stop':
      return say({ decision: 'block', reason: reasonOf(answer) });
    default:
      // Events that cannot be denied ignore it; one that is not known here is refused as far as the agent can.
      return { body: '{}', exit: 2, stderr: `Sallyport: ${reasonOf(answer)}\n` };
  }
}

/** `updatedInput` counts only beside `allow` (measured); `allow` skips nothing here, since a headless run has no prompt and the sandbox still judges. */
function rewrite(args: JsonObject): NativeAnswer {
  return say({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: args } });
}

function denyTool(reason: string): NativeAnswer {
  return say({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  });
}

/** A person's yes. `updatedInput` would make the whole answer unusable (measured); exactly the shown arguments run. */
function permission(answer: Answer): NativeAnswer {
  const decision: JsonObject =
    answer.verdict === 'grant' ? { behavior: 'allow' } : { behavior: 'deny', message: reasonOf(answer) };
  return say({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
}

function reasonOf(answer: Answer): string {
  if (answer.verdict !== 'deny' && answer.verdict !== 'block') {
    return `this event cannot carry the answer "${answer.verdict}", so it is denied`;
  }
  return answer.reason.trim() === '' ? 'denied by policy' : answer.reason;
}

function say(body: JsonObject): NativeAnswer {
  return { body: JSON.stringify(body), exit: 0, stderr: '' };
}
