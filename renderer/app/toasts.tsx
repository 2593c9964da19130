import { closeToast } from '../state/actions.js';
import { useApp } from '../state/store.js';
import { Button } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import styles from './app.module.css';

const cx = classNames(styles);

/** What is said in passing. Both regions are always there: a live region that comes with its text is not read out. */
export function Toasts() {
  const toasts = useApp((state) => state.toasts);
  const list = (tone: 'done' | 'problem') =>
    toasts
      .filter((one) => one.tone === tone)
      .map((one) => (
        <div key={one.id} className={cx('toast', tone)}>
          <span>{one.text}</span>
          <Button
            look="quiet"
            aria-label={`OK, put away: ${one.text}`}
            onClick={() => {
              closeToast(one.id);
            }}
          >
            OK
          </Button>
        </div>
      ));
  return (
    <div className={cx('toasts')}>
      <div role="alert">{list('problem')}</div>
      <div role="status">{list('done')}</div>
    </div>
  );
}
