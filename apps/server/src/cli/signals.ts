const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Does something during which a signal to end is handled in order, once; before and after, it ends the process. */
export async function withSignals<T>(
  handle: (signal: NodeJS.Signals) => void,
  act: () => Promise<T>,
): Promise<T> {
  for (const signal of SIGNALS) process.once(signal, handle);
  try {
    return await act();
  } finally {
    for (const signal of SIGNALS) process.off(signal, handle);
  }
}
