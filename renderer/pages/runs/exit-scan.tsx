import type { RunDetail } from '../../../shared/bridge/views.js';
import { exitScanText, findingPlace, ORIGIN_WORDS, PART_WORDS } from '../../../shared/exit-scan-text.js';
import { clockTime, exactTime } from '../../text/times.js';
import type { Tone } from '../../text/words.js';
import { classNames } from '../../ui/class-names.js';
import { CopyButton, Line } from '../../ui/exact.js';
import { Problem, Section, Sub, Tag } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);
type Finding = NonNullable<RunDetail['findings']>[number];

const TONES: Readonly<Record<Finding['origin'], Tone>> = { exposed: 'amber', leaked: 'red', redaction_failed: 'red' };

/** What the exit scan looked at, what it could not look at, and what it found. */
export function ExitScanPanel({ record, findings }: Pick<RunDetail, 'record' | 'findings'>) {
  const { exitScan, phase } = record;
  return (
    <div className={cx('facts')} tabIndex={0} role="region" aria-label="Exit scan">
      <Section title="Exit scan" aside={exitScan.rules ?? undefined}>
        <p>{phase === 'done' ? <Line text={exitScanText(exitScan)} /> : 'It is made when the run has ended.'}</p>
        <ul className={cx('bullets')}>
          {exitScan.why.map((text, index) => (
            <li key={index}>
              <Line text={text} />
            </li>
          ))}
        </ul>
        <Sub>
          It looks for secrets in the run&rsquo;s own files, the compiled configuration, the agent&rsquo;s own state and
          the files of the workspace that the run added or changed. No secret is shown here, only how it begins and
          ends.
        </Sub>
      </Section>
      {findings === null ? <Problem>What was found cannot be shown: findings.json cannot be read.</Problem> : null}
      {findings === null || findings.length === 0 ? null : <Findings findings={findings} />}
    </div>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <Section title="Findings" aside={String(findings.length)}>
      <table className={cx('table')}>
        <thead>
          <tr>
            <th scope="col">Origin</th>
            <th scope="col">Rule</th>
            <th scope="col">Secret</th>
            <th scope="col">Where</th>
            <th scope="col">Why</th>
            <th scope="col">Seen</th>
          </tr>
        </thead>
        <tbody>
          {findings.map((one) => (
            <tr key={one.id}>
              <td className={cx('number')}>
                <Tag tone={TONES[one.origin]}>{ORIGIN_WORDS[one.origin]}</Tag>
              </td>
              <td className={cx('rule')}>
                <Line text={one.rule} />
              </td>
              <td className={cx('number')} title={`Fingerprint ${one.fingerprint}`}>
                <code>
                  <Line text={one.preview} />
                </code>
              </td>
              <td className={cx('place')}>
                {PART_WORDS[one.part]}
                <br />
                <code>
                  <Line text={findingPlace(one)} />
                </code>{' '}
                <CopyButton text={findingPlace(one)} what="Place of the finding" />
              </td>
              <td>
                <Line text={one.why} />
              </td>
              <td className={cx('number')} title={exactTime(one.firstSeen)}>
                {clockTime(one.firstSeen)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
