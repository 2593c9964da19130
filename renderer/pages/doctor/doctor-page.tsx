import type { DoctorFinding } from '../../../shared/bridge/views.js';
import { useApp } from '../../state/store.js';
import { useAnswer } from '../../state/use-answer.js';
import { words } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { CopyButton, Line } from '../../ui/exact.js';
import { Facts, Loading, Page, Problem, Section, Tag } from '../../ui/kit.js';
import styles from './doctor.module.css';

const cx = classNames(styles);

const STATES = {
  well: { tone: 'green', word: 'Well' },
  person: { tone: 'amber', word: 'Needs you' },
  broken: { tone: 'red', word: 'Broken' },
} as const;

/** What is installed, what was measured, what needs a person. */
export function DoctorPage() {
  const { value, trouble, asking, again } = useAnswer('doctor.run', null);
  const info = useApp((state) => state.info);
  return (
    <Page
      title="Doctor"
      sub={<span role="status">{asking ? 'Looking…' : value === null ? '' : summary(value)}</span>}
      actions={
        <>
          {value === null ? null : <CopyButton text={asText(value)} what="Findings" />}
          <Button disabled={asking} onClick={again}>
            Look again
          </Button>
        </>
      }
    >
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      {value === null ? trouble === null ? <Loading what="what is installed" /> : null : <Sections findings={value} />}
      {info === null ? null : (
        <Section title="This installation">
          <Facts
            rows={[
              ['Version', info.version],
              [
                'State folder',
                <code key="state">
                  <Line text={info.stateDir} />
                </code>,
              ],
              ['Tray', info.noTray ?? 'there is one'],
            ]}
          />
        </Section>
      )}
    </Page>
  );
}

function summary(findings: readonly DoctorFinding[]): string {
  const of = (state: DoctorFinding['state']) => findings.filter((one) => one.state === state).length;
  if (of('broken') + of('person') === 0) return 'All is well';
  return `${of('broken')} broken, ${of('person')} for you, ${of('well')} well`;
}

function Sections({ findings }: { readonly findings: readonly DoctorFinding[] }) {
  const sections = [...new Set(findings.map((one) => one.section))];
  return sections.map((section) => (
    <Section key={section} title={`${section[0]?.toUpperCase() ?? ''}${words(section.slice(1))}`}>
      <ul>
        {findings
          .filter((one) => one.section === section)
          .map(({ state, text }, index) => (
            <li key={index} className={cx('finding')}>
              <span className={cx('state')}>
                <Tag tone={STATES[state].tone}>{STATES[state].word}</Tag>
              </span>
              <span className={cx('text')}>
                <Line text={text} />
              </span>
            </li>
          ))}
      </ul>
    </Section>
  ));
}

function asText(findings: readonly DoctorFinding[]): string {
  return findings.map(({ section, state, text }) => `${STATES[state].word}\t${section}\t${text}`).join('\n');
}
