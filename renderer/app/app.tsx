/** The main window: the rail, one page beside it, and what is said in passing. */
import { useEffect, useRef } from 'react';
import { ApprovalsPage } from '../pages/approvals/approvals-page.js';
import { DoctorPage } from '../pages/doctor/doctor-page.js';
import { FirstStartPage } from '../pages/first-start/first-start-page.js';
import { NewRunPage } from '../pages/new-run/new-run-page.js';
import { RegistryPage } from '../pages/registry/registry-page.js';
import { RunPage } from '../pages/runs/run-page.js';
import { RunsPage } from '../pages/runs/runs-page.js';
import { SettingsPage } from '../pages/settings/settings-page.js';
import { go } from '../state/actions.js';
import { useApp } from '../state/store.js';
import { classNames } from '../ui/class-names.js';
import styles from './app.module.css';
import { Notices } from './notices.js';
import { Rail } from './rail.js';
import { pageOfKeys } from './shortcuts.js';
import { Toasts } from './toasts.js';

const cx = classNames(styles);

export function App() {
  const where = useApp((state) => state.where);
  useShortcuts();
  const main = useRef<HTMLElement>(null);
  useFocusOnPage(main, `${where.page} ${where.page === 'run' ? (where.id ?? '') : ''}`);
  return (
    <div className={cx('app')}>
      <Rail />
      <main ref={main} className={cx('main')}>
        <Notices />
        <div className={cx('page')}>
          <PageOf />
        </div>
      </main>
      <Toasts />
    </div>
  );
}

function PageOf() {
  const { page, id } = useApp((state) => state.where);
  switch (page) {
    case 'first-start':
      return <FirstStartPage />;
    case 'new-run':
      return <NewRunPage />;
    case 'runs':
      return <RunsPage />;
    case 'run':
      return <RunPage key={id} />;
    case 'approvals':
      return <ApprovalsPage />;
    case 'registry':
      return <RegistryPage />;
    case 'doctor':
      return <DoctorPage />;
    case 'settings':
      return <SettingsPage />;
  }
}

function useShortcuts(): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const page = pageOfKeys(event);
      if (page === null || event.defaultPrevented) return;
      event.preventDefault();
      go({ page, id: null });
    };
    document.addEventListener('keydown', listener);
    return () => {
      document.removeEventListener('keydown', listener);
    };
  }, []);
}

/** A new page is where the keyboard and the screen reader go on, unless the page took the focus itself. */
function useFocusOnPage(main: { readonly current: HTMLElement | null }, page: string): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    if (main.current?.contains(document.activeElement) === true) return;
    main.current?.querySelector<HTMLElement>('[data-page-heading]')?.focus();
  }, [main, page]);
}
