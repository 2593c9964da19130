import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { GridList, GridListItem, ListLayout, Virtualizer } from 'react-aria-components';
import type { RunSummary } from '../../../shared/bridge/views.js';
import { visibleText } from '../../../shared/visible-text.js';
import { changeFilter, go, openRun } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { useNow } from '../../state/use-now.js';
import { ALL_RUNS, findRuns, type RunFilter } from '../../text/find-runs.js';
import { COLOUR_WORDS, count, folderName, standing } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { CompactSelect, SearchField } from '../../ui/field.js';
import { Time } from '../../ui/exact.js';
import { Empty, Loading, Page, Tag } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);
const ROW_HEIGHT = 46;
const LAYOUT = { rowHeight: ROW_HEIGHT };

const SHOW: readonly { readonly value: RunFilter['show']; readonly text: string }[] = [
  { value: 'all', text: 'All runs' },
  { value: 'live', text: 'Live' },
  { value: 'waiting', text: 'Waiting for you' },
  { value: 'red', text: 'Red' },
  { value: 'amber', text: 'Amber' },
  { value: 'grey', text: 'Grey' },
  { value: 'green', text: 'Green' },
];

const newRun = () => {
  go({ page: 'new-run', id: null });
};

export function RunsPage() {
  const runs = useApp((state) => state.runs);
  const filter = useApp((state) => state.runFilter);
  const deferred = useDeferredValue(filter);
  const found = useMemo(() => findRuns(runs ?? [], deferred), [runs, deferred]);
  return (
    <Page
      title="Runs"
      sub={<span role="status">{runs === null ? '' : shownCount(found.length, runs.length)}</span>}
      actions={runs === null || runs.length === 0 ? null : <Filter filter={filter} />}
      bare
    >
      <ListOrEmpty runs={runs} found={found} />
    </Page>
  );
}

function shownCount(found: number, all: number): string {
  return found === all ? count(all, 'run') : `${found} of ${count(all, 'run')}`;
}

function Filter({ filter }: { readonly filter: RunFilter }) {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    document.addEventListener('keydown', listener);
    return () => {
      document.removeEventListener('keydown', listener);
    };
  }, []);
  return (
    <div className={cx('filter')}>
      <SearchField
        inputRef={search}
        label="Search (Ctrl+F)"
        value={filter.text}
        onChange={(text) => {
          changeFilter({ ...filter, text });
        }}
      />
      <CompactSelect
        label="Show"
        value={filter.show}
        options={SHOW}
        onChange={(value) => {
          changeFilter({ ...filter, show: SHOW.find((one) => one.value === value)?.value ?? 'all' });
        }}
      />
    </div>
  );
}

function ListOrEmpty({
  runs,
  found,
}: {
  readonly runs: readonly RunSummary[] | null;
  readonly found: readonly RunSummary[];
}) {
  if (runs === null) return <Loading what="the runs" />;
  if (runs.length === 0)
    return (
      <Empty title="No run yet" actions={<NewRunButtons />}>
        Start one: choose an agent and a folder, say what to do, look at the plan, launch. The practice run needs no
        account and shows a denial and an approval.
      </Empty>
    );
  if (found.length === 0)
    return (
      <Empty
        title="No run fits"
        actions={
          <Button
            onClick={() => {
              changeFilter(ALL_RUNS);
            }}
          >
            Show all runs
          </Button>
        }
      >
        Search looks into prompt, agent, workspace, id and state.
      </Empty>
    );
  return (
    <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
      <GridList
        aria-label="Runs, newest first"
        className={cx('list')}
        items={found}
        selectionMode="none"
        onAction={(key) => {
          openRun(String(key));
        }}
      >
        {(run) => <RunItem run={run} />}
      </GridList>
    </Virtualizer>
  );
}

function NewRunButtons() {
  return (
    <>
      <Button look="main" onClick={newRun}>
        New run
      </Button>
      <Button
        onClick={() => {
          go({ page: 'first-start', id: null });
        }}
      >
        Show the first steps
      </Button>
    </>
  );
}

/** It is kept for as long as its run does not change: what changes by itself is in parts of their own. */
function RunItem({ run }: { readonly run: RunSummary }) {
  const prompt = visibleText(run.prompt).text;
  const state = `${COLOUR_WORDS[run.colour]}, ${standing(run)}`;
  return (
    <GridListItem
      id={run.id}
      textValue={`${state}: ${prompt}, ${run.agent}, ${folderName(run.workspace)}`}
      className={cx('item')}
    >
      <span className={cx('state')} title={run.why.join('\n')}>
        <Tag tone={run.colour}>{COLOUR_WORDS[run.colour]}</Tag>
        <span className={cx('standing')}>{standing(run)}</span>
      </span>
      <span className={cx('prompt')}>
        <bdi>{prompt === '' ? '(no prompt)' : prompt}</bdi>
        <span className={cx('place')} title={visibleText(run.workspace).text}>
          {run.agent} in <bdi>{visibleText(folderName(run.workspace)).text}</bdi>
        </span>
      </span>
      <When at={run.createdAt} />
    </GridListItem>
  );
}

function When({ at }: { readonly at: number }) {
  return (
    <span className={cx('when')}>
      <Time at={at} now={useNow()} />
    </span>
  );
}
