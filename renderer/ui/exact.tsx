/** Exact things, shown so that an eye can judge them: arguments, digests, differences, times, texts from outside. */
import { digestGroups } from '../text/digest.js';
import { flagWords, safeLines } from '../text/safe-lines.js';
import { exactTime, relativeTime } from '../text/times.js';
import { copy } from '../state/actions.js';
import { visibleText } from '../../shared/visible-text.js';
import { Button } from './button.js';
import { classNames } from './class-names.js';
import styles from './exact.module.css';
import { Hidden, Tag } from './kit.js';

const cx = classNames(styles);

export function Flags({ flags }: { readonly flags: readonly string[] }) {
  if (flags.length === 0) return null;
  return (
    <span className={cx('flags')}>
      {flags.map((flag) => (
        <Tag key={flag} tone="red">
          {flagWords(flag)}
        </Tag>
      ))}
    </span>
  );
}

/** One line of text from outside, with visible escapes. */
export function Line({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text).text}</bdi>;
}

/** Text from outside with its own lines, with visible escapes. `shown` texts come with their escapes already. */
export function Safe({ text, shown = false }: { readonly text: string; readonly shown?: boolean }) {
  return <span className={cx('safe')}>{shown ? text : safeLines(text).text}</span>;
}

/** Each argument on a line of its own, numbered from 0: never a joined line that looks like a shell's. */
export function Tokens({ tokens, label }: { readonly tokens: readonly string[]; readonly label: string }) {
  if (tokens.length === 0) return <span className={cx('none')}>none</span>;
  return (
    <ol className={cx('tokens')} aria-label={label}>
      {tokens.map((token, index) => (
        <Token key={index} token={token} />
      ))}
    </ol>
  );
}

/** A text of several lines as it stands in a file, with visible escapes and what is hidden in it named. */
export function Block({ lines, label }: { readonly lines: readonly string[]; readonly label: string }) {
  const flags = [...new Set(lines.flatMap((line) => visibleText(line).flags))];
  return (
    <div className={cx('block')} role="group" aria-label={label}>
      <Flags flags={flags} />
      <pre>{lines.map((line) => visibleText(line).text).join('\n')}</pre>
    </div>
  );
}

function Token({ token }: { readonly token: string }) {
  const { text, flags } = visibleText(token);
  return (
    <li className={cx('token')}>
      {token === '' ? <span className={cx('none')}>(an empty argument)</span> : <code>{text}</code>}
      <Flags flags={flags} />
    </li>
  );
}

/** A whole digest in groups of four. */
export function Digest({ digest, what }: { readonly digest: string; readonly what: string }) {
  const { algorithm, groups } = digestGroups(digest);
  return (
    <span className={cx('digest')}>
      <span>{algorithm}</span>
      {groups.map((group, index) => (
        <span key={index}>{group}</span>
      ))}
      <CopyButton text={digest} what={what} />
    </span>
  );
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <Button look="quiet" onClick={() => void copy(text, what)} aria-label={`Copy ${what.toLowerCase()}`}>
      Copy
    </Button>
  );
}

const SIGNS = {
  same: { sign: ' ', words: '' },
  old: { sign: '-', words: 'goes: ' },
  new: { sign: '+', words: 'comes: ' },
} as const;

/** What was, beside what is; each line with a sign as well as a colour. */
export function Diff({
  lines,
}: {
  readonly lines: readonly { readonly side: 'same' | 'old' | 'new'; readonly text: string }[];
}) {
  return (
    <div className={cx('diff')} tabIndex={0} role="region" aria-label="Difference from what was approved before">
      {lines.map(({ side, text }, index) => (
        <div key={index} className={cx('diffLine', side)}>
          <span className={cx('sign')} aria-hidden="true">
            {SIGNS[side].sign}
          </span>
          <span>
            <Hidden>{SIGNS[side].words}</Hidden>
            {visibleText(text).text}
          </span>
        </div>
      ))}
    </div>
  );
}

/** How long ago, with the exact time as a title. */
export function Time({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time className={cx('time')} dateTime={new Date(at * 1_000).toISOString()} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
