import { useEffect, useRef, useState } from 'react';
import type { PreflightView } from '../../../shared/bridge/views.js';
import { count, effectWords, foreignWords, needsAcceptance } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Check } from '../../ui/field.js';
import { Digest, Line } from '../../ui/exact.js';
import { Facts, Problem, Row, Section, Sub, Tag } from '../../ui/kit.js';
import { SubjectContent, SubjectState } from '../prompt/subject-card.js';
import styles from './plan.module.css';

const cx = classNames(styles);

interface PlanProps {
  readonly plan: PreflightView;
  readonly busy: boolean;
  readonly onLaunch: (acceptGaps: boolean) => void;
}

/** What a launch would be: the hooks that apply, what the agent cannot do, what is left out, what has to be approved. */
export function Plan({ plan, busy, onLaunch }: PlanProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [accepted, setAccepted] = useState(false);
  const mustAccept = needsAcceptance(plan.gaps);
  useEffect(() => {
    setAccepted(false);
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus({ preventScroll: true });
  }, [plan]);
  const unapproved = plan.subjects.filter((subject) => subject.state !== 'approved');
  // A plan that only waits for its gaps to be accepted is refused until they are.
  const refused = plan.refused !== null && !(mustAccept && accepted);
  return (
    <section className={cx('plan')} aria-label="Plan">
      <h2 ref={heading} tabIndex={-1} className={cx('title')}>
        Plan
      </h2>
      {plan.refused === null ? null : (
        <Problem word={mustAccept ? 'Not yet' : 'Refused'} tone={mustAccept ? 'amber' : 'red'}>
          <Line text={plan.refused} />
        </Problem>
      )}
      {plan.agent === '' ? null : <Details plan={plan} />}
      {mustAccept ? (
        <Check
          name="Run without what is named as a gap"
          meaning="The gaps above that need it are accepted for this run only."
          checked={accepted}
          onChange={setAccepted}
        />
      ) : null}
      <Row>
        <Button
          look="main"
          disabled={refused || busy}
          onClick={() => {
            onLaunch(mustAccept && accepted);
          }}
        >
          Launch
        </Button>
        <Sub>{launchWords(unapproved.length, refused)}</Sub>
      </Row>
    </section>
  );
}

function launchWords(unapproved: number, refused: boolean): string {
  if (refused) return 'Mend what is said above, then look again.';
  if (unapproved === 0) return 'Nothing needs an approval.';
  return `You are asked about ${count(unapproved, 'item')} before the agent starts.`;
}

function Details({ plan }: { readonly plan: PreflightView }) {
  return (
    <>
      <Section
        title={
          plan.subjects.length === 0 ? 'What has to be approved' : `What has to be approved (${plan.subjects.length})`
        }
      >
        {plan.subjects.length === 0 ? <Sub>Nothing: no program beside Sallyport’s own is started.</Sub> : null}
        {plan.subjects.map((subject) => (
          <details key={subject.key} className={cx('subject')} open={subject.state !== 'approved'}>
            <summary>
              <Line text={subject.title} /> <SubjectState state={subject.state} />
            </summary>
            <div className={cx('inside')}>
              <SubjectContent subject={subject} />
            </div>
          </details>
        ))}
      </Section>
      <Section title={`Hooks that apply (${plan.hooks.length})`}>
        {plan.hooks.length === 0 ? (
          <Problem tone="amber">
            No hook applies: every call passes the gate unjudged. The first steps offer a starter policy.
          </Problem>
        ) : null}
        <ul>
          {plan.hooks.map((hook) => (
            <li key={`${hook.scope}:${hook.id}:${hook.point}`}>
              <Line text={hook.id} />{' '}
              <Sub>
                {hook.scope}, at {hook.point}
              </Sub>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={`Gaps (${plan.gaps.length})`} aside="what is asked for and this agent cannot do">
        {plan.gaps.length === 0 ? <Sub>None.</Sub> : null}
        <ul>
          {plan.gaps.map((gap, index) => (
            <li key={index} className={cx('item')}>
              <Tag tone={gap.effect === 'refused' ? 'red' : gap.effect === 'named' ? 'grey' : 'amber'}>
                {effectWords(gap.effect)}
              </Tag>{' '}
              <Line text={`${gap.what}: ${gap.why}`} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={`What the workspace and you bring (${plan.foreign.length})`}>
        {plan.foreign.length === 0 ? <Sub>No configuration of the agent was found that matters here.</Sub> : null}
        <ul>
          {plan.foreign.map((file, index) => (
            <li key={index} className={cx('item')}>
              <Tag tone={file.kind === 'workspace-config' ? 'grey' : 'amber'}>{foreignWords(file.kind)}</Tag>{' '}
              <code>
                <Line text={file.path} />
              </code>{' '}
              <Sub>
                <Line text={file.what} />
              </Sub>
            </li>
          ))}
        </ul>
      </Section>
      {plan.notices.length === 0 ? null : (
        <Section title="Notices">
          {plan.notices.map((notice, index) => (
            <Problem key={index} tone="amber">
              <Line text={notice} />
            </Problem>
          ))}
        </Section>
      )}
      <Section title="Compiled from">
        <Facts
          rows={[
            ['Agent', plan.agent],
            [
              'Program',
              plan.program === null ? (
                'not found'
              ) : (
                <code key="program">
                  <Line text={plan.program} />
                </code>
              ),
            ],
            ['Registry version', <Digest key="version" digest={plan.registryVersion} what="Registry version" />],
          ]}
        />
      </Section>
    </>
  );
}
