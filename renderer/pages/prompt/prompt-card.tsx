/**
 * One thing that waits for a person, with the buttons that answer it. The same in a window of its
 * own and in place on the page of approvals. No is where the focus starts, what Escape means in a
 * window of its own, and what happens when nobody answers; yes is guarded (use-guard.ts).
 */
import { useEffect, useRef, useState } from 'react';
import type { PromptAnswer, PromptView, SubjectView } from '../../../shared/bridge/views.js';
import { answerPrompt } from '../../state/actions.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Hidden, Problem } from '../../ui/kit.js';
import { QuestionContent, TimeLeft } from './question-content.js';
import styles from './prompt.module.css';
import { SubjectContent, SubjectState } from './subject-card.js';
import { useGuard, useGuardedPress } from './use-guard.js';
import { Line } from '../../ui/exact.js';

const cx = classNames(styles);

interface PromptCardProps {
  readonly prompt: PromptView;
  /** In a window of its own, Escape is a no; in place it only leaves. */
  readonly where: 'window' | 'place';
  readonly onLeave: () => void;
  /** How many others wait. */
  readonly others: number;
}

export function PromptCard({ prompt, where, onLeave, others }: PromptCardProps) {
  const content = contentOf(prompt);
  const open = useGuard(content);
  const [message, setMessage] = useState('');
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const deny = useRef<HTMLButtonElement>(null);
  // At first, and whenever what is asked about becomes another one: back to where nothing can happen.
  useEffect(() => {
    deny.current?.focus();
  }, [content]);
  const changed = useChanged(content);

  const answer = async (given: PromptAnswer['answer']) => {
    setBusy(true);
    const why = await answerPrompt({ id: prompt.id, shownDigest: digestOf(prompt), answer: given });
    setBusy(false);
    setTrouble(why);
  };
  const denyNow = () => void answer({ kind: 'deny', message: message.trim() });
  const approve = useGuardedPress(open && !busy, () => void answer({ kind: 'approve' }));
  const approveForRun = useGuardedPress(open && !busy, () => void answer({ kind: 'approve-for-run' }));
  useEscape(where === 'window' ? denyNow : onLeave);

  const headingId = `prompt-${prompt.id}`;
  return (
    <section className={cx('card')} aria-labelledby={headingId}>
      <header className={cx('head')}>
        <h1 id={headingId}>
          <Title prompt={prompt} />
        </h1>
        {prompt.kind === 'trust' ? <SubjectState state={prompt.subject.state} /> : null}
        {prompt.kind === 'question' ? <TimeLeft until={prompt.deniedAt} /> : null}
        {others > 0 ? <span className={cx('others')}>{others} more waiting</span> : null}
      </header>
      <div className={cx('content')} tabIndex={0} role="region" aria-label="What is asked about">
        {trouble === null ? null : <Problem>{trouble}</Problem>}
        {changed ? <Problem tone="amber">The content changed while it was shown. Look at it again.</Problem> : null}
        {prompt.kind === 'trust' ? <TrustContent prompt={prompt} /> : <QuestionContent prompt={prompt} />}
      </div>
      <footer className={cx('foot')}>
        {prompt.kind === 'question' ? (
          <label className={cx('message')}>
            <span>Message to the agent, if you deny (optional)</span>
            <textarea
              rows={2}
              maxLength={2_000}
              value={message}
              onChange={(event) => {
                setMessage(event.target.value);
              }}
            />
          </label>
        ) : null}
        <div className={cx('buttons')}>
          <span className={cx('hint')}>
            {where === 'window' ? 'Esc denies' : 'Esc goes back; it keeps waiting'}. Enter never approves.
          </span>
          <Button ref={deny} onClick={denyNow} disabled={busy} look="main">
            {prompt.kind === 'trust' ? 'Deny, leave inert' : 'Deny'}
          </Button>
          {prompt.kind === 'question' ? (
            <Button disabled={!open || busy} {...approveForRun}>
              Approve for this run
            </Button>
          ) : null}
          <Button disabled={!open || busy} {...approve}>
            {prompt.kind === 'trust' ? 'Approve exactly this' : 'Approve once'}
          </Button>
        </div>
        <div role="status">
          <Hidden>{open ? 'Approve can be pressed now' : ''}</Hidden>
        </div>
      </footer>
    </section>
  );
}

function Title({ prompt }: { readonly prompt: PromptView }) {
  if (prompt.kind === 'question')
    return (
      <>
        {prompt.agent} asks to use <bdi>{prompt.toolName}</bdi>
      </>
    );
  return (
    <>
      <Line text={prompt.subject.title} /> {prompt.subject.state === 'changed' ? 'changed and asks to' : 'asks to'}{' '}
      {isStarted(prompt.subject) ? 'run' : 'be taken in'}
    </>
  );
}

/** Whether it is a program, and not files for one to read. */
function isStarted({ argv }: SubjectView): boolean {
  return argv.length > 0;
}

function TrustContent({ prompt }: { readonly prompt: Extract<PromptView, { kind: 'trust' }> }) {
  return (
    <>
      <p className={cx('lead')}>
        {isStarted(prompt.subject)
          ? 'Approve lets exactly this run, now and later, until it changes or you revoke it. Deny leaves it inert: nothing of it is started.'
          : 'Approve lets the agent take in exactly this, now and in later runs that ask for it, until it changes or you revoke it. Its hooks can change a call after yours judged it. Deny leaves it out.'}
        {prompt.runId === null ? null : (
          <>
            {' '}
            Asked by run <code>{prompt.runId}</code>.
          </>
        )}
      </p>
      <SubjectContent subject={prompt.subject} />
    </>
  );
}

/** All of a prompt that a person judges; what only measures time is no content. */
function contentOf(prompt: PromptView): string {
  return JSON.stringify(
    prompt.kind === 'trust'
      ? [prompt.id, prompt.subject]
      : [prompt.id, prompt.toolName, prompt.args, prompt.digest, prompt.askedBy, prompt.workspace, prompt.agent],
  );
}

function digestOf(prompt: PromptView): string {
  return prompt.kind === 'trust' ? prompt.subject.digest : prompt.digest;
}

/** True once the content became another one than that of the first look. */
function useChanged(content: string): boolean {
  const [first] = useState(content);
  return content !== first;
}

function useEscape(act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', listener);
    return () => {
      document.removeEventListener('keydown', listener);
    };
  }, []);
}
