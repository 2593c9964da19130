import { useEffect, useState } from 'react';

const nowSeconds = () => Date.now() / 1_000;

/** The time in Unix seconds, told anew in this rhythm (milliseconds). */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(nowSeconds());
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
  return now;
}
