import type { PageName } from '../state/model.js';
import { go } from '../state/actions.js';
import { useApp } from '../state/store.js';
import { count } from '../text/words.js';
import { Button } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Hidden } from '../ui/kit.js';
import styles from './app.module.css';
import { RAIL_PAGES } from './shortcuts.js';

const cx = classNames(styles);

const NAMES: Readonly<Record<(typeof RAIL_PAGES)[number], string>> = {
  runs: 'Runs',
  approvals: 'Approvals',
  registry: 'Registry',
  doctor: 'Doctor',
  settings: 'Settings',
};

export function Rail() {
  const page = useApp((state) => state.where.page);
  const waiting = useApp((state) => state.prompts?.length ?? 0);
  const live = useApp((state) => state.runs?.filter((run) => run.phase !== 'done').length ?? 0);
  const version = useApp((state) => state.info?.version ?? '');
  const badges: Partial<Record<PageName, readonly [number, string]>> = {
    approvals: [waiting, `${count(waiting, 'item')} waiting for you`],
    runs: [live, count(live, 'live run')],
  };
  return (
    <nav className={cx('rail')} aria-label="Pages">
      <p className={cx('brand')}>Sallyport</p>
      <Button
        look="main"
        aria-keyshortcuts="Control+N"
        title="New run (Ctrl+N)"
        aria-current={page === 'new-run' ? 'page' : undefined}
        onClick={() => {
          go({ page: 'new-run', id: null });
        }}
      >
        New run
      </Button>
      <ul className={cx('links')}>
        {RAIL_PAGES.map((name, index) => (
          <li key={name}>
            <button
              type="button"
              className={cx('link')}
              aria-current={page === name || (name === 'runs' && page === 'run') ? 'page' : undefined}
              aria-keyshortcuts={`Control+${index + 1}`}
              title={`${NAMES[name]} (Ctrl+${index + 1})`}
              onClick={() => {
                go({ page: name, id: null });
              }}
            >
              {NAMES[name]}
              <Badge badge={badges[name]} urgent={name === 'approvals'} />
            </button>
          </li>
        ))}
      </ul>
      <div role="status">
        <Hidden>{waiting > 0 ? `${count(waiting, 'item')} waiting for you` : ''}</Hidden>
      </div>
      <p className={cx('version')}>{version === '' ? '' : `Version ${version}`}</p>
    </nav>
  );
}

function Badge({ badge, urgent }: { readonly badge: readonly [number, string] | undefined; readonly urgent: boolean }) {
  if (badge === undefined || badge[0] === 0) return null;
  return (
    <>
      <span className={cx('badge', urgent && 'urgent')} aria-hidden="true">
        {badge[0]}
      </span>
      <Hidden>({badge[1]})</Hidden>
    </>
  );
}
