import type { RunDetail } from '../../../shared/bridge/views.js';
import { exitScanText } from '../../../shared/exit-scan-text.js';
import { exactTime, duration } from '../../text/times.js';
import { liveCounts, type TimelineRow } from '../../text/timeline.js';
import { BYPASS_WORDS, receiptWords } from '../../text/words.js';
import { classNames } from '../../ui/class-names.js';
import { CopyButton, Digest, Line, Safe } from '../../ui/exact.js';
import { Facts, Section, Sub } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);

interface RunFactsProps extends Pick<RunDetail, 'summary' | 'record'> {
  readonly rows: readonly TimelineRow[];
}

/** What a run was, was allowed and did, in counts and names. */
export function RunFactsPanel({ summary, record, rows }: RunFactsProps) {
  const done = summary.phase === 'done';
  return (
    <div className={cx('facts')} tabIndex={0} role="region" aria-label="Facts of the run">
      <Section title="Coverage" aside={done ? undefined : 'counted when the run has ended'}>
        {done ? <Coverage facts={record.facts} /> : <LiveCounts rows={rows} />}
      </Section>
      <List title="Gaps" items={record.gaps.map((gap) => `${gap.what}: ${gap.why}`)} none="No gap." />
      <List title="Notices" items={record.notices} none="No notice." />
      <Section title="Run">
        <Facts
          rows={[
            ['Id', <IdWithCopy key="id" id={record.id} />],
            ['Reason', record.reason === null ? null : <Line key="reason" text={record.reason} />],
            ['Agent', `${record.agent}${record.agentVersion === null ? '' : ` ${record.agentVersion}`}`],
            ['Program', record.agentProgram === null ? null : <Path key="program" path={record.agentProgram} />],
            [
              'Program digest',
              record.agentProgramDigest === null ? null : (
                <Digest key="digest" digest={record.agentProgramDigest} what="Program digest" />
              ),
            ],
            ['Profile', <Line key="profile" text={record.profile} />],
            ['Workspace', <Path key="workspace" path={record.workspace} />],
            ['Bypass', BYPASS_WORDS[record.bypass].name],
            ['Backend', `${record.backend} (does not isolate)`],
            ['Started', exactTime(record.startedAt ?? record.createdAt)],
            ['Ended', record.endedAt === null ? null : exactTime(record.endedAt)],
            ['Took', record.endedAt === null ? null : duration(record.endedAt - record.createdAt)],
            ['Exit', record.exitCode === null ? record.exitSignal : String(record.exitCode)],
            ['Exit scan', done ? exitScanText(record.exitScan) : 'made when the run has ended'],
            ['Receipt', done ? receiptWords(record.receipt) : 'made when it has ended'],
          ]}
        />
      </Section>
      <Section title="Registry versions" aside="in force while it ran">
        {record.registryVersions.length === 0 ? <Sub>none was read yet</Sub> : null}
        {record.registryVersions.map((version) => (
          <div key={version}>
            <Digest digest={version} what="Registry version" />
          </div>
        ))}
      </Section>
      <Section title="Prompt">
        <pre className={cx('block')} tabIndex={0}>
          <Safe text={record.prompt} />
        </pre>
      </Section>
    </div>
  );
}

function Coverage({ facts }: { readonly facts: RunDetail['record']['facts'] }) {
  return (
    <Facts
      rows={[
        ['Tool calls', String(facts.toolCalls)],
        ['Guarded', String(facts.guarded)],
        ['Not executed', String(facts.notExecuted)],
        ['Expected gap', String(facts.expectedGap)],
        ['Unguarded', listed(facts.unguarded)],
        [
          'Known?',
          facts.coverageUnknown === null ? 'yes' : <Line key="unknown" text={`no: ${facts.coverageUnknown}`} />,
        ],
        ['Denials', String(facts.denials)],
        ['Changed by a hook', String(facts.modified)],
        ['Approvals', `${facts.approvalsGranted} granted, ${facts.approvalsDenied} denied`],
        ['Let pass after a failure', String(facts.failedOpen)],
        ['Turns passed after denials', String(facts.turnsPassedAfterDenials)],
        ['Other arguments than judged', listed(facts.argsDiffer)],
        ['At the gate, never reported', listed(facts.dispatchesWithoutCall)],
        ['Hooks changed while they ran', listed(facts.handlersChanged)],
        ['Signs of tampering', listed(facts.tampering)],
        ['Lines not understood', String(facts.unparsedLines)],
      ]}
    />
  );
}

function listed(items: readonly string[]) {
  return items.length === 0 ? '0' : <Line text={`${items.length}: ${items.join(', ')}`} />;
}

function LiveCounts({ rows }: { readonly rows: readonly TimelineRow[] }) {
  const { calls, denied, asked } = liveCounts(rows);
  return (
    <Facts
      rows={[
        ['Tool calls so far', String(calls)],
        ['Denied so far', String(denied)],
        ['Asked so far', String(asked)],
      ]}
    />
  );
}

function List({
  title,
  items,
  none,
}: {
  readonly title: string;
  readonly items: readonly string[];
  readonly none: string;
}) {
  return (
    <Section title={title}>
      {items.length === 0 ? <Sub>{none}</Sub> : null}
      <ul className={cx('bullets')}>
        {items.map((text, index) => (
          <li key={index}>
            <Line text={text} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Path({ path }: { readonly path: string }) {
  return (
    <code>
      <Line text={path} />
    </code>
  );
}

function IdWithCopy({ id }: { readonly id: string }) {
  return (
    <>
      <code>{id}</code> <CopyButton text={id} what="Run id" />
    </>
  );
}
