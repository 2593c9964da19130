import type { PromptView } from '../../../shared/bridge/views.js';
import { useNow } from '../../state/use-now.js';
import { exactTime, spokenTimeLeft, timeLeft } from '../../text/times.js';
import { classNames } from '../../ui/class-names.js';
import { Digest, Flags, Line, Safe } from '../../ui/exact.js';
import { Facts, Hidden, Section } from '../../ui/kit.js';
import styles from './prompt.module.css';

const cx = classNames(styles);
const SECOND_MS = 1_000;

/** A call that is held: who asks and why, its exact arguments, and how long it waits. Its texts come with visible escapes. */
export function QuestionContent({ prompt }: { readonly prompt: Extract<PromptView, { kind: 'question' }> }) {
  return (
    <>
      <Section title="Why you are asked">
        <ul className={cx('bullets')}>
          {prompt.askedBy.map(({ who, reason }, index) => (
            <li key={index}>
              <strong>
                <bdi>{who}</bdi>
              </strong>
              {reason === '' ? null : (
                <>
                  : <Safe shown text={reason} />
                </>
              )}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Exact arguments">
        {prompt.args.length === 0 ? <p>none</p> : null}
        <dl className={cx('args')}>
          {prompt.args.map(({ name, text, flags }, index) => (
            <div key={index}>
              <dt>
                <bdi>{name}</bdi> <Flags flags={flags} />
              </dt>
              <dd>
                <code>{text === '' ? '(empty)' : <Safe shown text={text} />}</code>
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title="Where">
        <Facts
          rows={[
            ['Agent', prompt.agent],
            [
              'Workspace',
              <code key="workspace">
                <Line text={prompt.workspace} />
              </code>,
            ],
            ['Run', <code key="run">{prompt.runId}</code>],
            ['Digest of the arguments', <Digest key="digest" digest={prompt.digest} what="Digest of the arguments" />],
          ]}
        />
      </Section>
    </>
  );
}

/** The clock is for eyes; what is read out changes at a few steps only. */
export function TimeLeft({ until }: { readonly until: number }) {
  const now = useNow(SECOND_MS);
  return (
    <p className={cx('left')} title={exactTime(until)}>
      <span role="timer" aria-live="off">
        {now >= until ? 'The time is over: it is denied.' : `Denied in ${timeLeft(until, now)} if nobody answers.`}
      </span>
      <span role="status">
        <Hidden>{spokenTimeLeft(until, now)}</Hidden>
      </span>
    </p>
  );
}
