import { useState } from 'react';
import type { AnswerOf } from '../../../shared/bridge/channels.js';
import type { RunDetail } from '../../../shared/bridge/views.js';
import { receiptText } from '../../../shared/receipt-text.js';
import { ask } from '../../bridge.js';
import { useAnswer } from '../../state/use-answer.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Digest, Line, Safe } from '../../ui/exact.js';
import { Empty, Facts, Problem, Section, Sub, Tag } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);

type Receipt = RunDetail['record']['receipt'];
type Verdict = NonNullable<AnswerOf<'receipts.verify'>>;

/** A run's receipt in words, and what verifying it came to. */
export function ReceiptPanel({ record }: { readonly record: RunDetail['record'] }) {
  const { receipt, id, phase } = record;
  if (phase !== 'done')
    return <Empty title="No receipt yet">It is made when the run has ended, after its record was redacted.</Empty>;
  if (receipt.state === 'none')
    return (
      <Empty title="There is no receipt">
        This run ended without one, so nothing vouches for its record. Runs of earlier versions have none.
      </Empty>
    );
  return (
    <div className={cx('facts')} tabIndex={0} role="region" aria-label="Receipt of the run">
      <Section title="Receipt">
        <Standing receipt={receipt} />
        {receipt.state === 'failed' ? null : <Kept runId={id} receipt={receipt} />}
      </Section>
      {receipt.state === 'failed' ? null : <Verify key={id} runId={id} />}
    </div>
  );
}

function Standing({ receipt }: { readonly receipt: Receipt }) {
  if (receipt.state !== 'signed')
    return (
      <Problem tone="amber" word={receipt.state === 'unsigned' ? 'Not signed' : 'Failed'}>
        <Line text={receiptText(receipt)} />
      </Problem>
    );
  return (
    <p className={cx('exact')}>
      <Tag tone="grey">Signed</Tag> It says what ran, what was asked and answered, how it ended, and names the files of
      the run by their digests. Whether all of that still holds, Verify says.
    </p>
  );
}

/** What is kept beside the run. */
function Kept({ runId, receipt }: { readonly runId: string; readonly receipt: Receipt }) {
  const shown = useAnswer('receipts.show', { runId });
  const view = shown.value;
  return (
    <>
      <Facts
        rows={[
          [
            'Number',
            receipt.sequence === null
              ? 'none: it stands in no chain'
              : `${receipt.sequence} of this installation's chain`,
          ],
          [
            'Digest',
            receipt.digest === null ? null : (
              <Digest key="digest" digest={receipt.digest} what="Digest of the receipt" />
            ),
          ],
          [
            'Key',
            view === null || view.keyId === null ? null : (
              <Digest key="key" digest={view.keyId} what="Digest of the key" />
            ),
          ],
          [
            'File',
            view === null ? null : (
              <code key="file">
                <Line text={view.file} />
              </code>
            ),
          ],
        ]}
      />
      {shown.trouble === null ? null : <Problem>{shown.trouble}</Problem>}
      {!shown.asking && view === null && shown.trouble === null ? (
        <Problem>The receipt is missing beside the run, or cannot be read. Verify says more.</Problem>
      ) : null}
      {view === null ? null : (
        <details className={cx('exact')}>
          <summary>What it says, word for word</summary>
          <pre className={cx('block')} tabIndex={0}>
            <Safe text={view.statement} />
          </pre>
        </details>
      )}
    </>
  );
}

type Answer = { readonly verdict: Verdict } | { readonly trouble: string };

function Verify({ runId }: { readonly runId: string }) {
  const [asking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const verify = async () => {
    setAsking(true);
    const said = await ask('receipts.verify', { runId });
    setAsking(false);
    if (!said.ok) setAnswer({ trouble: said.error });
    else setAnswer(said.value === null ? { trouble: 'There is no such run.' } : { verdict: said.value });
  };
  return (
    <Section title="Verify" aside="signature, files, place in the chain; no network">
      <div>
        <Button disabled={asking} onClick={() => void verify()}>
          {asking ? 'Verifying …' : 'Verify'}
        </Button>
      </div>
      <div role="status" className={cx('exact')}>
        {answer === null ? <Sub>Not checked yet.</Sub> : <Answered answer={answer} />}
      </div>
    </Section>
  );
}

const TONES = { good: 'green', bad: 'red', note: 'grey' } as const;
const WORDS = { good: 'Holds', bad: 'Does not hold', note: 'Note' } as const;

function Answered({ answer }: { readonly answer: Answer }) {
  if ('trouble' in answer) return <Problem>{answer.trouble}</Problem>;
  const { verified, checks } = answer.verdict;
  return (
    <>
      <p>
        <strong>{verified ? 'Verified.' : 'Not verified.'}</strong>
      </p>
      <ul className={cx('checks')}>
        {checks.map(({ state, text }, index) => (
          <li key={index}>
            <Tag tone={TONES[state]}>{WORDS[state]}</Tag> <Line text={text} />
          </li>
        ))}
      </ul>
    </>
  );
}
