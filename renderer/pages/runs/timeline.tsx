import { memo, useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/visible-text.js';
import { exactTime, clockTime } from '../../text/times.js';
import type { AskRow, CallRow, TextRow, TimelineRow } from '../../text/timeline.js';
import type { Tone } from '../../text/words.js';
import { classNames } from '../../ui/class-names.js';
import { Check } from '../../ui/field.js';
import { Safe } from '../../ui/exact.js';
import { Empty, Problem, Tag } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);
/** So close to the end counts as being there, in pixels. */
const NEAR_END = 40;

interface TimelineProps {
  readonly rows: readonly TimelineRow[];
  /** Older entries were left out. */
  readonly cut: boolean;
  readonly live: boolean;
}

/** What happened, oldest first. A live one is followed to its end for as long as the person does not scroll away. */
export function Timeline({ rows, cut, live }: TimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  const [follow, setFollow] = useState(true);
  useEffect(() => {
    if (follow && live && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [rows, follow, live]);
  return (
    <div
      ref={box}
      className={cx('timeline')}
      tabIndex={0}
      role="region"
      aria-label="Timeline"
      onScroll={({ currentTarget: el }) => {
        if (live) setFollow(el.scrollHeight - el.scrollTop - el.clientHeight < NEAR_END);
      }}
    >
      {cut ? <Problem tone="grey">Older entries are left out here; the run’s folder has them all.</Problem> : null}
      {rows.length === 0 ? (
        <Empty title="Nothing yet">
          {live ? 'Entries appear as they happen.' : 'This run ended before anything happened.'}
        </Empty>
      ) : null}
      <ol>
        {rows.map((row) => (
          <RowOf key={row.key} row={row} />
        ))}
      </ol>
      {live ? (
        <div className={cx('follow')}>
          <Check name="Follow to the end" checked={follow} onChange={setFollow} />
        </div>
      ) : null}
    </div>
  );
}

const RowOf = memo(
  function RowOf({ row }: { readonly row: TimelineRow }) {
    return (
      <li className={cx('row', row.kind === 'say' && 'said')}>
        <time className={cx('clock')} title={exactTime(row.at)}>
          {clockTime(row.at)}
        </time>
        {row.kind === 'call' ? <Call row={row} /> : row.kind === 'ask' ? <Ask row={row} /> : <Text row={row} />}
      </li>
    );
  },
  // Rows are made anew from the entries each time; most of them are the same.
  (before, after) => JSON.stringify(before.row) === JSON.stringify(after.row),
);

function Call({ row }: { readonly row: CallRow }) {
  const [tone, word] = callState(row);
  return (
    <div>
      <div className={cx('line')}>
        <Tag tone={tone}>{word}</Tag>
        <code>{visibleText(row.tool).text}</code>
        {row.differs ? <Tag tone="red">ran with other arguments than were judged</Tag> : null}
        {row.result?.executed === true ? (
          <span className={cx('quiet')}>{row.result.ok ? 'done' : 'failed in the tool'}</span>
        ) : null}
      </div>
      {row.decision === 'deny' || row.reason !== null ? (
        <p
          className={cx(row.decision === 'deny' ? 'denial' : 'quiet')}
          role={row.decision === 'deny' ? 'note' : undefined}
        >
          {row.decision === 'deny' ? <strong>{deniedBy(row.by)}: </strong> : null}
          <Safe text={row.reason ?? 'no reason was given'} />
        </p>
      ) : null}
      <Args args={row.args} />
      {row.result !== null && row.result.executed && row.result.text !== '' ? (
        <details className={cx('more')}>
          <summary>Result</summary>
          <pre className={cx('block')} tabIndex={0}>
            <Safe text={row.result.text} />
          </pre>
        </details>
      ) : null}
    </div>
  );
}

function deniedBy(by: string | null): string {
  return by === null ? 'Denied' : `Denied by ${visibleText(by).text}`;
}

function callState({ decision, result }: CallRow): readonly [Tone, string] {
  if (decision === 'deny') return ['red', 'Denied'];
  if (decision === 'modify') return ['amber', 'Changed and allowed'];
  if (decision === 'allow') return ['green', 'Allowed'];
  if (result === null) return ['grey', 'Waits for the gate'];
  return result.executed ? ['amber', 'Not seen at the gate'] : ['grey', 'Not executed'];
}

/** Arguments as names and values; short ones are shown, long ones unfold. */
function Args({ args }: { readonly args: CallRow['args'] }) {
  if (args === null) return null;
  return (
    <dl className={cx('args')}>
      {Object.entries(args).map(([name, value]) => (
        <div key={name}>
          <dt>{visibleText(name).text}</dt>
          <dd>
            <code>
              <Safe text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
            </code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const ANSWERS = {
  waiting: ['amber', 'Waits for you'],
  once: ['green', 'Approved once'],
  run: ['green', 'Approved for this run'],
  deny: ['red', 'Denied'],
} as const;

function Ask({ row }: { readonly row: AskRow }) {
  const [tone, word] = ANSWERS[row.answer];
  return (
    <div>
      <div className={cx('line')}>
        <Tag tone={tone}>{word}</Tag>
        <span>
          approval asked for <code>{visibleText(row.tool).text}</code>
        </span>
      </div>
      {row.askedBy.map(({ who, reason }, index) => (
        <p key={index} className={cx('quiet')}>
          <Safe text={reason === '' ? who : `${who}: ${reason}`} />
        </p>
      ))}
      {row.why === null ? null : (
        <p className={cx('denial')}>
          <Safe text={row.why} />
        </p>
      )}
    </div>
  );
}

const TEXT_WORDS: Readonly<Record<TextRow['kind'], readonly [Tone, string] | null>> = {
  say: null,
  note: ['grey', 'Note'],
  warning: ['amber', 'Warning'],
  state: null,
  output: ['grey', 'Other output'],
  denied: ['red', 'Denied'],
  tampering: ['red', 'Tampering'],
  'sent-on': ['amber', 'Sent back to work'],
  end: null,
};

function Text({ row }: { readonly row: TextRow }) {
  const tag = row.kind === 'end' ? endTag(row) : TEXT_WORDS[row.kind];
  return (
    <div className={cx('line', row.kind === 'state' && 'quiet')}>
      {tag === null ? null : <Tag tone={tag[0]}>{tag[1]}</Tag>}
      <span>
        <Safe text={row.text} />
      </span>
    </div>
  );
}

function endTag(row: TextRow): readonly [Tone, string] {
  return row.ok === true ? ['grey', 'Agent reports success'] : ['red', 'Agent reports failure'];
}
