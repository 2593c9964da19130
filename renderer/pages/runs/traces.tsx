import type { RunDetail } from '../../../shared/bridge/views.js';
import { clockTime, exactTime } from '../../text/times.js';
import { words, type Tone } from '../../text/words.js';
import { classNames } from '../../ui/class-names.js';
import { Line } from '../../ui/exact.js';
import { Empty, Tag } from '../../ui/kit.js';
import styles from './runs.module.css';

const cx = classNames(styles);
type Trace = RunDetail['traces'][number];

/** Each attempt to run a hook, and each hook that was left out. */
export function Traces({ traces }: { readonly traces: readonly Trace[] }) {
  if (traces.length === 0)
    return (
      <Empty title="No trace">
        No hook was asked in this run yet. A hook is asked at its point, if its filters fit: Registry lists them.
      </Empty>
    );
  return (
    <div className={cx('scroll')} tabIndex={0} role="region" aria-label="Traces">
      <table className={cx('table')}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Hook</th>
            <th scope="col">Point</th>
            <th scope="col">Result</th>
            <th scope="col">Reason</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {traces.map((trace) => (
            <tr key={trace.trace_id}>
              <td className={cx('number')} title={exactTime(trace.started)}>
                {clockTime(trace.started)}
              </td>
              <td>
                <Line text={`${trace.scope}:${trace.hook_id}`} />
              </td>
              <td className={cx('number')}>{trace.point}</td>
              <td>
                <Result trace={trace} />
              </td>
              <td>
                <Line text={trace.error ?? trace.reason ?? ''} />
              </td>
              <td className={cx('number')}>{Math.round(trace.duration_ms * 10) / 10} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TONES: Readonly<Record<NonNullable<Trace['decision']>, Tone>> = {
  allow: 'green',
  deny: 'red',
  modify: 'amber',
  request_approval: 'amber',
};

function Result({ trace: { status, decision } }: { readonly trace: Trace }) {
  if (status === 'ran' && decision !== null) return <Tag tone={TONES[decision]}>{words(decision)}</Tag>;
  return <Tag tone={status === 'failed' ? 'red' : 'grey'}>{status}</Tag>;
}
