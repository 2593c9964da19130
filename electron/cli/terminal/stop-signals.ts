const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Hands the signals that ask this process to stop to `stop` instead; the answer takes that back. */
export function stopSignals(stop: (reason: string) => void): () => void {
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      stop(signal === 'SIGINT' ? 'you stopped it' : `${signal} came`);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}
