import { visibleText } from '../../../shared/visible-text.js';
import type { GateReport } from '../../core/gate/ports.js';
import type { RunEvent } from '../../core/runs/timeline.js';

/** Longest text of one live line, in characters. */
const MAX_SHOWN = 300;

function short(text: string): string {
  const { text: safe } = visibleText(text);
  return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}…` : safe;
}

/** One line of a live run for a timeline entry, or null for what a person need not see pass by. */
export function liveLine(event: RunEvent): string | null {
  switch (event.kind) {
    case 'phase':
      return null;
    case 'notice':
      return `note     ${short(event.text)}`;
    case 'warning':
      return `warning  ${short(event.text)}`;
    case 'unparsed':
      return `output   ${short(event.text)}`;
    case 'gate':
      return gateLine(event.report);
    case 'agent':
      return agentLine(event.event);
  }
}

function agentLine(event: Extract<RunEvent, { kind: 'agent' }>['event']): string | null {
  switch (event.kind) {
    case 'message':
      return event.text.trim() === '' ? null : `agent    ${short(event.text.trim())}`;
    case 'tool.result':
      return event.executed && !event.ok ? `failed   ${short(event.text)}` : null;
    case 'notice':
      return `agent    (${short(event.text)})`;
    case 'init':
    case 'tool.call':
    case 'result':
      return null;
  }
}

function gateLine(report: GateReport): string | null {
  switch (report.kind) {
    case 'judged': {
      const what = `${report.toolName} ${JSON.stringify(report.args)}`;
      if (report.verdict === 'allow') return `allowed  ${short(what)}`;
      if (report.verdict === 'modify') return `changed  ${short(what)}`;
      return `DENIED   ${short(what)}\n         ${short(`${report.by ?? 'denied'}: ${report.reason ?? ''}`)}`;
    }
    case 'executed':
      return report.asJudged ? null : `DIFFERS  ${short(`${report.callId} ran with other arguments than were judged`)}`;
    case 'question':
      return null;
    case 'answer':
      return report.answer.answer === 'deny'
        ? `you      no (${short(report.answer.why)})`
        : `you      yes (${report.answer.answer})`;
    case 'turn':
      return report.verdict === 'block' ? `sent on  ${short(report.reason ?? '')}` : null;
    case 'tampering':
      return `TAMPER   ${short(report.what)}`;
    case 'trouble':
      return `DENIED   ${short(`${report.event}: ${report.reason}`)}`;
    case 'session':
    case 'unknown':
      return null;
  }
}
