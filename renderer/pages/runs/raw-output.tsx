import { useCallback, useEffect, useState } from 'react';
import { ask } from '../../bridge.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Safe } from '../../ui/exact.js';
import { Empty, Loading, Problem } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);

interface RawOutputProps {
  readonly runId: string;
  readonly stream: 'stdout' | 'stderr';
  readonly live: boolean;
}

/** What the agent wrote, as it was stored (known secrets masked), piece by piece. */
export function RawOutput({ runId, stream, live }: RawOutputProps) {
  const [pieces, setPieces] = useState<readonly string[]>([]);
  const [next, setNext] = useState<number | null>(0);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [read, setRead] = useState(false);
  const readFrom = useCallback(
    async (offset: number) => {
      const answer = await ask('runs.raw', { runId, stream, offset });
      setRead(true);
      if (!answer.ok || answer.value === null) {
        setTrouble(answer.ok ? 'There is no stored output of this run; its folder may be gone.' : answer.error);
        return;
      }
      const { text, next: after } = answer.value;
      setTrouble(null);
      setPieces((before) => (offset === 0 ? [text] : [...before, text]));
      setNext(after);
    },
    [runId, stream],
  );
  useEffect(() => {
    void readFrom(0);
  }, [readFrom]);

  if (!read) return <Loading what="the output" />;
  const text = pieces.join('');
  return (
    <div className={cx('scroll')} tabIndex={0} role="region" aria-label="Stored output">
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      {text === '' && trouble === null ? (
        <Empty title="Nothing was written">
          {live ? 'The agent has written nothing here yet. Read again after a while.' : 'The agent wrote nothing here.'}
        </Empty>
      ) : (
        <pre className={cx('raw')}>
          <Safe text={text} />
        </pre>
      )}
      {next !== null ? (
        <Button onClick={() => void readFrom(next)}>Read more</Button>
      ) : live ? (
        <Button onClick={() => void readFrom(0)}>Read again</Button>
      ) : null}
    </div>
  );
}
