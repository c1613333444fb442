/**
 * Returns a signal that is aborted when any of the given signals is aborted. Unlike `AbortSignal.any`, it also works
 * with a signal from `AbortSignal.timeout` that nothing else refers to: Node 20 garbage-collects such a signal before
 * it is aborted.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  // A signal with a listener is not collected. The same listener is added only once, so a long-lived signal does not
  // accumulate listeners.
  for (const signal of signals) signal.addEventListener("abort", keep, { once: true });
  return AbortSignal.any([...signals]);
}

function keep(): void {}
