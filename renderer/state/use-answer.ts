import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnswerOf, RequestName, RequestOf } from '../../shared/bridge/channels.js';
import { ask } from '../bridge.js';

export interface Asked<T> {
  /** The newest answer; kept while it is asked again. Null before the first. */
  readonly value: T | null;
  readonly trouble: string | null;
  readonly asking: boolean;
  readonly again: () => void;
}

/** Asks when the page opens and whenever the request changes; an answer to an older request is dropped. */
export function useAnswer<N extends RequestName>(name: N, request: RequestOf<N>): Asked<AnswerOf<N>> {
  const [value, setValue] = useState<AnswerOf<N> | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [asking, setAsking] = useState(true);
  const turn = useRef(0);
  const key = JSON.stringify(request);
  const again = useCallback(() => {
    const mine = (turn.current += 1);
    setAsking(true);
    void ask(name, JSON.parse(key) as RequestOf<N>).then((answer) => {
      if (mine !== turn.current) return;
      setAsking(false);
      setTrouble(answer.ok ? null : answer.error);
      if (answer.ok) setValue(answer.value);
    });
  }, [name, key]);
  useEffect(() => {
    again();
    return () => {
      turn.current += 1;
    };
  }, [again]);
  return { value, trouble, asking, again };
}
