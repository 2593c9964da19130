import type { ReactNode } from 'react';
import type { SubjectView } from '../../../shared/bridge/views.js';
import { subjectWords } from '../../text/words.js';
import { Block, Diff, Digest, Flags, Line, Tokens } from '../../ui/exact.js';
import { Facts, Section, Sub, Tag } from '../../ui/kit.js';
import { visibleText } from '../../../shared/visible-text.js';
import { classNames } from '../../ui/class-names.js';
import styles from './prompt.module.css';

const cx = classNames(styles);

const STATES = {
  approved: { tone: 'green', word: 'approved as it is' },
  changed: { tone: 'amber', word: 'changed since it was approved' },
  unapproved: { tone: 'amber', word: 'not approved yet' },
} as const;

export function SubjectState({ state }: { readonly state: SubjectView['state'] }) {
  return <Tag tone={STATES[state].tone}>{STATES[state].word}</Tag>;
}

/** All that an approval of this would be bound to, and what it would not. Decides nothing. */
export function SubjectContent({ subject }: { readonly subject: SubjectView }) {
  return (
    <>
      {subject.state === 'changed' ? (
        <Section title="What changed" aside="- was approved, + is now">
          {subject.diff.length > 0 ? <Diff lines={subject.diff} /> : <Sub>The difference is not known.</Sub>}
        </Section>
      ) : null}
      {subject.argv.length === 0 ? null : (
        <Section title="What would run" aside="each argument is one line">
          <Tokens tokens={subject.argv} label="Arguments, one on each line" />
        </Section>
      )}
      {subject.texts.length === 0 ? null : (
        <Section title="What the agent would take in" aside="each file, as it is now">
          {subject.texts.map((file) => (
            <details key={file.path} className={cx('text')} open={subject.texts.length < 4}>
              <summary>
                <Path path={file.path} />
              </summary>
              {file.lines === null ? (
                <Sub>
                  No text that can be shown here, or too long for it. Look at the file itself before you approve.
                </Sub>
              ) : (
                <Block lines={file.lines} label={`Text of ${visibleText(file.path).text}`} />
              )}
            </details>
          ))}
        </Section>
      )}
      <Section title="Where and with what">
        <Facts
          rows={[
            ['Kind', subjectWords(subject.kind)],
            ...(subject.argv.length === 0 ? [] : startRows(subject)),
            ['Bound to', <Line key="key" text={subject.key} />],
          ]}
        />
      </Section>
      {subject.files.length === 0 ? null : (
        <Section title="Files that are covered" aside="by their exact content">
          <ul className={cx('files')}>
            {subject.files.map((file) => (
              <li key={file.path}>
                <Path path={file.path} />
                <Digest digest={file.digest} what="Digest of the file" />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {subject.notCovered.length === 0 ? null : (
        <Section title="Not covered">
          <ul className={cx('bullets')}>
            {subject.notCovered.map((text, index) => (
              <li key={index}>
                <Line text={text} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Digest" aside="an approval counts for exactly this">
        <Digest digest={subject.digest} what="Digest" />
      </Section>
    </>
  );
}

function startRows(subject: SubjectView): (readonly [string, ReactNode])[] {
  return [
    ['Program', <Path key="program" path={subject.program} />],
    ['Working directory', <Path key="cwd" path={subject.cwd} />],
    ['Environment', subject.envNames.length === 0 ? 'none of its own' : <Names names={subject.envNames} />],
  ];
}

function Path({ path }: { readonly path: string }) {
  const { text, flags } = visibleText(path);
  return (
    <>
      <code>{text}</code>
      {flags.length === 0 ? null : ' '}
      <Flags flags={flags} />
    </>
  );
}

/** Names of environment variables; their values are no business of a window. */
function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 ? ', ' : ''}
          <Path path={name} />
        </span>
      ))}
    </>
  );
}
