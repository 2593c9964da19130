/** SIGQUIT too: by default it would end this process and leave the agent running. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

const REASONS: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGINT: 'you stopped it',
  SIGQUIT: 'you stopped it (SIGQUIT)',
  SIGHUP: 'the terminal was closed (SIGHUP)',
};

/** Hands the signals that ask this process to stop to `stop` instead; the answer takes that back. */
export function stopSignals(stop: (reason: string) => void): () => void {
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      stop(REASONS[signal] ?? `${signal} came`);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}
