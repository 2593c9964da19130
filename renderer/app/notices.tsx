import { useState } from 'react';
import { closeTrouble, go, readInfo } from '../state/actions.js';
import { useApp } from '../state/store.js';
import { Button } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Problem } from '../ui/kit.js';
import styles from './app.module.css';

const cx = classNames(styles);

/** What is amiss with the app itself, above every page: no tray, no keychain, a chain of receipts with a gap, no answer. */
export function Notices() {
  const info = useApp((state) => state.info);
  const trouble = useApp((state) => state.trouble);
  const [away, setAway] = useState<readonly string[]>([]);
  const notices = [
    ...(info === null || info.noTray === null
      ? []
      : [{ key: 'tray', text: `There is no tray icon: ${info.noTray}`, again: false }]),
    ...(info === null || info.keychain.state === 'ready' || info.keychain.state === 'starting'
      ? []
      : [{ key: info.keychain.state, text: `Keychain: ${info.keychain.text}`, again: true }]),
    ...(info === null || info.receipts.state !== 'faulty'
      ? []
      : [{ key: 'receipts', text: `Receipts: ${info.receipts.text}`, again: true }]),
  ].filter(({ text }) => !away.includes(text));
  if (trouble === null && notices.length === 0) return null;
  return (
    <div className={cx('notices')}>
      {trouble === null ? null : (
        <Problem actions={<Button onClick={closeTrouble}>Put away</Button>}>{trouble}</Problem>
      )}
      {notices.map(({ key, text, again }) => (
        <Problem
          key={key}
          tone="amber"
          actions={
            <>
              {again ? (
                <>
                  <Button
                    look="quiet"
                    onClick={() => {
                      go({ page: 'doctor', id: null });
                    }}
                  >
                    Doctor
                  </Button>
                  {/* Doctor looks at the receipts anew. */}
                  {key === 'receipts' ? null : (
                    <Button look="quiet" onClick={() => void readInfo()}>
                      Look again
                    </Button>
                  )}
                </>
              ) : null}
              <Button
                look="quiet"
                aria-label={`Put away: ${text}`}
                onClick={() => {
                  setAway([...away, text]);
                }}
              >
                Put away
              </Button>
            </>
          }
        >
          {text}
        </Problem>
      ))}
    </div>
  );
}
