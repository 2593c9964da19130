import { useState } from 'react';
import type { ApprovalRecordView, PromptView } from '../../../shared/bridge/views.js';
import { tell } from '../../bridge.js';
import { go, openRun, toast } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { useAnswer } from '../../state/use-answer.js';
import { useNow } from '../../state/use-now.js';
import { exactTime, timeLeft } from '../../text/times.js';
import { subjectWords } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Confirm } from '../../ui/confirm.js';
import { Digest, Line, Time } from '../../ui/exact.js';
import { Facts, Loading, Page, Problem, Row, Section, Sub, Tag } from '../../ui/kit.js';
import { PromptCard } from '../prompt/prompt-card.js';
import styles from './approvals.module.css';

const cx = classNames(styles);
const SECOND_MS = 1_000;

const show = (id: string | null) => {
  go({ page: 'approvals', id });
};

/** What waits for a person, and what a person once said yes to. */
export function ApprovalsPage() {
  const prompts = useApp((state) => state.prompts) ?? [];
  const openId = useApp((state) => state.where.id);
  const open = prompts.find((prompt) => prompt.id === openId);
  if (open !== undefined)
    return (
      <div className={cx('open')}>
        <div className={cx('bar')}>
          <Button
            look="quiet"
            onClick={() => {
              show(null);
            }}
          >
            Back to approvals
          </Button>
          {open.runId === null ? null : <OpenRunButton runId={open.runId} />}
        </div>
        <PromptCard
          key={open.id}
          prompt={open}
          where="place"
          others={prompts.length - 1}
          onLeave={() => {
            show(null);
          }}
        />
      </div>
    );
  return (
    <Page title="Approvals" sub="No answer is a denial. There is no way to approve several at once.">
      <Section title={`Waiting (${prompts.length})`}>
        {prompts.length === 0 ? (
          <Sub>
            Nothing waits. When something new asks to run, or a call needs a person, it stands here and in a window of
            its own.
          </Sub>
        ) : null}
        <ul>
          {prompts.map((prompt) => (
            <WaitingItem key={prompt.id} prompt={prompt} />
          ))}
        </ul>
      </Section>
      <Past />
    </Page>
  );
}

function OpenRunButton({ runId }: { readonly runId: string }) {
  return (
    <Button
      look="quiet"
      onClick={() => {
        openRun(runId);
      }}
    >
      Show the run
    </Button>
  );
}

function WaitingItem({ prompt }: { readonly prompt: PromptView }) {
  const now = useNow(SECOND_MS);
  const question = prompt.kind === 'question';
  return (
    <li className={cx('waiting')}>
      <Tag tone="amber">{question ? 'Question' : 'Trust'}</Tag>
      <span className={cx('what')}>
        {question ? (
          <span>
            {prompt.agent} asks to use <bdi>{prompt.toolName}</bdi>
          </span>
        ) : (
          <Line text={prompt.subject.title} />
        )}
        <Sub>
          <Time at={prompt.openedAt} now={now} />
          {question ? `, denied in ${timeLeft(prompt.deniedAt, now)}` : ''}
        </Sub>
      </span>
      {prompt.runId === null ? null : <OpenRunButton runId={prompt.runId} />}
      <Button
        look="main"
        aria-label={question ? `Look at the question about ${prompt.toolName}` : `Look at ${prompt.subject.title}`}
        onClick={() => {
          show(prompt.id);
        }}
      >
        Look
      </Button>
    </li>
  );
}

function Past() {
  const { value, trouble, again } = useAnswer('approvals.list', null);
  const [revoking, setRevoking] = useState<ApprovalRecordView | null>(null);
  const now = useNow();
  const revoke = async ({ kind, key, digest, title }: ApprovalRecordView) => {
    setRevoking(null);
    const done = await tell('approvals.revoke', { kind, key, digest });
    toast(done.ok ? 'done' : 'problem', done.ok ? `Revoked: ${title}` : done.error);
    again();
  };
  return (
    <Section title="Approved" aside="newest first">
      {trouble === null ? null : <Problem actions={<Button onClick={again}>Try again</Button>}>{trouble}</Problem>}
      {value === null ? (
        trouble === null ? (
          <Loading what="the approvals" />
        ) : null
      ) : value.length === 0 ? (
        <Sub>Nothing was approved yet. You are asked at the launch of a run that needs it.</Sub>
      ) : (
        <ul>
          {[...value]
            .sort((a, b) => b.when - a.when)
            .map((record) => (
              <PastItem
                key={`${record.key} ${record.digest}`}
                record={record}
                now={now}
                onRevoke={() => {
                  setRevoking(record);
                }}
              />
            ))}
        </ul>
      )}
      {revoking === null ? null : (
        <Confirm
          title="Revoke this approval?"
          yes="Revoke"
          onNo={() => {
            setRevoking(null);
          }}
          onYes={() => void revoke(revoking)}
        >
          <p>
            <Line text={revoking.title} />
          </p>
          <p>
            It does not run from the next boundary on, in live runs too. To use it again you approve it again when you
            are asked.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

interface PastItemProps {
  readonly record: ApprovalRecordView;
  readonly now: number;
  readonly onRevoke: () => void;
}

function PastItem({ record, now, onRevoke }: PastItemProps) {
  return (
    <li className={cx('past')}>
      <Row>
        <strong className={cx('what')}>
          <Line text={record.title} />
        </strong>
        <Button onClick={onRevoke} aria-label={`Revoke ${record.title}`}>
          Revoke
        </Button>
      </Row>
      <Facts
        rows={[
          ['Kind', subjectWords(record.kind)],
          [
            'Approved',
            <span key="when">
              <Time at={record.when} now={now} /> by <Line text={record.user} /> ({record.surface})
            </span>,
          ],
          ['Ends', record.expires === null ? null : exactTime(record.expires)],
          ['Bound to', <Line key="key" text={record.key} />],
          ['Digest', <Digest key="digest" digest={record.digest} what="Digest" />],
        ]}
      />
    </li>
  );
}
