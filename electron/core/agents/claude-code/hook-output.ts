/**
 * Answers -> the agent's own form. One exact JSON object each: anything around it, or a wrong event
 * name inside it, makes the agent run the tool (measured). `permissionDecision: "allow"` is never
 * sent, since it would skip the user's own permission prompt.
 */
import type { Json, JsonObject } from '../../../../shared/json.js';
import type { Answer, NativeAnswer } from '../contract.js';

/** No objection: the tool runs if the agent's own check lets it (measured, also under `onFailure: "block"`). */
const NO_OBJECTION: NativeAnswer = { body: '{}', exit: 0, stderr: '' };

/** The answer for an event. What an event cannot carry becomes a denial, never an allow. */
export function formatHookOutput(event: string, answer: Answer): NativeAnswer {
  switch (event) {
    case 'PreToolUse':
      return beforeTool(answer);
    case 'PreSkillShellCommand':
      return beforeSkillLine(answer);
    case 'PermissionRequest':
      return permission(answer);
    case 'ConfigChange':
      return refuse({ decision: 'block', reason: reasonOf(answer) }, reasonOf(answer));
    case 'Stop':
      return isAllow(answer) ? NO_OBJECTION : say({ decision: 'block', reason: reasonOf(answer) });
    default:
      // Events that cannot be denied ignore this; one that is not known here is refused as far as the agent can.
      return isAllow(answer) ? NO_OBJECTION : refuse({ decision: 'block', reason: reasonOf(answer) }, reasonOf(answer));
  }
}

function isAllow(answer: Answer): boolean {
  return answer.verdict === 'allow';
}

function beforeTool(answer: Answer): NativeAnswer {
  switch (answer.verdict) {
    case 'allow':
      return NO_OBJECTION;
    case 'modify':
      // Without a permissionDecision the agent's own check still judges the changed call (measured).
      return say(specific('PreToolUse', { updatedInput: answer.args }));
    default:
      return say(specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reasonOf(answer) }));
  }
}

/** A changed line is refused by the agent itself ("isn't supported here", measured), so it is denied in our own words. */
function beforeSkillLine(answer: Answer): NativeAnswer {
  if (isAllow(answer)) return NO_OBJECTION;
  const reason =
    answer.verdict === 'modify'
      ? 'policy would change this shell line, which the agent cannot do here'
      : reasonOf(answer);
  return say(specific('PreSkillShellCommand', { permissionDecision: 'deny', permissionDecisionReason: reason }));
}

/** Only a person's yes becomes `behavior: "allow"`; without it nobody answers and the agent refuses (measured). */
function permission(answer: Answer): NativeAnswer {
  if (isAllow(answer)) return NO_OBJECTION;
  // The arguments are sent along so that exactly those that the person saw are run.
  const decision: JsonObject =
    answer.verdict === 'grant'
      ? { behavior: 'allow', updatedInput: answer.args }
      : { behavior: 'deny', message: reasonOf(answer) };
  return say(specific('PermissionRequest', { decision }));
}

function reasonOf(answer: Answer): string {
  if (answer.verdict === 'deny' || answer.verdict === 'block') {
    return answer.reason === '' ? 'denied by policy' : answer.reason;
  }
  return `this event cannot carry the answer "${answer.verdict}", so it is denied`;
}

function specific(event: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

/** JSON is read whatever the exit status, and wins over exit 2's text (measured), so a body travels with exit 0. */
function say(body: Json): NativeAnswer {
  return { body: JSON.stringify(body), exit: 0, stderr: '' };
}

function refuse(body: Json, reason: string): NativeAnswer {
  return { body: JSON.stringify(body), exit: 2, stderr: `Sallyport: ${reason}\n` };
}
