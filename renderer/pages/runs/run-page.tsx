import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import type { RunDetail } from '../../../shared/bridge/views.js';
import { EXIT_SCAN_WORDS } from '../../../shared/exit-scan-text.js';
import { go, readOpenRun, stopRun } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { useNow } from '../../state/use-now.js';
import { timelineRows } from '../../text/timeline.js';
import { COLOUR_WORDS, receiptWords, standing } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Line, Time } from '../../ui/exact.js';
import { Confirm } from '../../ui/confirm.js';
import { Empty, Loading, Page, Problem, Tag } from '../../ui/kit.js';
import { ExitScanPanel } from './exit-scan.js';
import { RawOutput } from './raw-output.js';
import { ReceiptPanel } from './receipt-panel.js';
import { RunFactsPanel } from './run-facts.js';
import styles from './runs.module.css';
import { Timeline } from './timeline.js';
import { Traces } from './traces.js';

const cx = classNames(styles);

const back = () => {
  go({ page: 'runs', id: null });
};

/** The page of the open run. */
export function RunPage() {
  const open = useApp((state) => state.open);
  useEscapeBack();
  if (open === null || open.detail === 'gone')
    return (
      <Page title="Run" actions={<Button onClick={back}>All runs</Button>}>
        <Empty title="This run cannot be shown" actions={<Button onClick={back}>All runs</Button>}>
          Its folder is gone, or what is in it cannot be read. Doctor says more about the state folder.
        </Empty>
      </Page>
    );
  if (open.detail === 'loading')
    return (
      <Page title="Run" actions={<Button onClick={back}>All runs</Button>}>
        {open.trouble === null ? <Loading what="the run" /> : <Problem>{open.trouble}</Problem>}
      </Page>
    );
  return <Detail detail={open.detail} trouble={open.trouble} />;
}

function Detail({ detail, trouble }: { readonly detail: RunDetail; readonly trouble: string | null }) {
  const { summary, record, events, traces } = detail;
  const now = useNow();
  const rows = useMemo(() => timelineRows(events), [events]);
  return (
    <Page
      bare
      title={<Line text={summary.prompt === '' ? '(no prompt)' : summary.prompt} />}
      sub={
        <span className={cx('subline')}>
          <Tag tone={summary.colour}>{COLOUR_WORDS[summary.colour]}</Tag>
          <span role="status">{standing(summary)}</span>
          <span>
            {summary.agent}, <Time at={summary.createdAt} now={now} />
          </span>
        </span>
      }
      actions={<Actions detail={detail} />}
    >
      <div className={cx('detail')}>
        <Why detail={detail} trouble={trouble} />
        <Tabs
          className={cx('tabs')}
          onSelectionChange={(key) => {
            // Traces are not told live; they are read when they are looked at.
            if (key === 'traces' && summary.phase !== 'done') void readOpenRun(summary.id);
          }}
        >
          <TabList aria-label="Parts of the run" className={cx('tabList')}>
            <NamedTab id="timeline">Timeline</NamedTab>
            <NamedTab id="facts">Facts</NamedTab>
            <NamedTab id="scan">Exit scan ({detail.findings?.length ?? '?'})</NamedTab>
            <NamedTab id="receipt">Receipt</NamedTab>
            <NamedTab id="traces">Traces ({traces.length})</NamedTab>
            <NamedTab id="stdout">Output</NamedTab>
            <NamedTab id="stderr">Error output</NamedTab>
          </TabList>
          <TabPanel id="timeline" className={cx('panel')}>
            <Timeline rows={rows} cut={detail.eventsCut} live={summary.phase !== 'done'} />
          </TabPanel>
          <TabPanel id="facts" className={cx('panel')}>
            <RunFactsPanel summary={summary} record={record} rows={rows} />
          </TabPanel>
          <TabPanel id="scan" className={cx('panel')}>
            <ExitScanPanel record={record} findings={detail.findings} />
          </TabPanel>
          <TabPanel id="receipt" className={cx('panel')}>
            <ReceiptPanel record={record} />
          </TabPanel>
          <TabPanel id="traces" className={cx('panel')}>
            <Traces traces={traces} />
          </TabPanel>
          <TabPanel id="stdout" className={cx('panel')}>
            <RawOutput runId={summary.id} stream="stdout" live={summary.phase !== 'done'} />
          </TabPanel>
          <TabPanel id="stderr" className={cx('panel')}>
            <RawOutput runId={summary.id} stream="stderr" live={summary.phase !== 'done'} />
          </TabPanel>
        </Tabs>
      </div>
    </Page>
  );
}

function NamedTab({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <Tab id={id} className={cx('tab')}>
      {children}
    </Tab>
  );
}

function Actions({ detail: { summary } }: { readonly detail: RunDetail }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      {summary.waiting > 0 ? (
        <Button
          look="main"
          onClick={() => {
            go({ page: 'approvals', id: null });
          }}
        >
          Answer what waits
        </Button>
      ) : null}
      {summary.phase !== 'done' && summary.own ? (
        <Button
          disabled={summary.phase === 'stopping'}
          onClick={() => {
            setAsking(true);
          }}
        >
          Stop
        </Button>
      ) : null}
      <Button onClick={back}>All runs</Button>
      {asking ? (
        <Confirm
          title="Stop this run?"
          yes="Stop the run"
          onNo={() => {
            setAsking(false);
          }}
          onYes={() => {
            setAsking(false);
            void stopRun(summary.id);
          }}
        >
          The agent and all that it started are ended. What it has done stays done.
        </Confirm>
      ) : null}
    </>
  );
}

/** Why the run has its colour, and what was not done. */
function Why({
  detail: { summary, record },
  trouble,
}: {
  readonly detail: RunDetail;
  readonly trouble: string | null;
}) {
  const elsewhere = summary.phase !== 'done' && !summary.own;
  return (
    <div className={cx('why')}>
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      <p>
        <strong>{summary.phase === 'done' ? `Why it is ${COLOUR_WORDS[summary.colour].toLowerCase()}` : 'Now'}:</strong>{' '}
        {summary.why.map((text, index) => (
          <span key={index}>
            {index > 0 ? '; ' : ''}
            <Line text={text} />
          </span>
        ))}
        .{' '}
        {record.phase === 'done' ? (
          <span className={cx('scan')}>
            Exit scan: {EXIT_SCAN_WORDS[record.exitScan.state]}. {receiptWords(record.receipt)}
          </span>
        ) : null}
      </p>
      {elsewhere ? (
        <p className={cx('scan')}>This run is played by another program; stop it where it was started.</p>
      ) : null}
    </div>
  );
}

function useEscapeBack(): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('[role=alertdialog]') === null)
        back();
    };
    document.addEventListener('keydown', listener);
    return () => {
      document.removeEventListener('keydown', listener);
    };
  }, []);
}
