/**
 * Returns a signal that is aborted when one of the signals is. Unlike `AbortSignal.any`, it also works with a signal of
 * `AbortSignal.timeout` that nothing else refers to: Node 20 collects such a signal as garbage, and it is never aborted.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  // A signal with a listener is not collected. The same listener is added only once, so a long-lived signal gets no more of them.
  for (const signal of signals) signal.addEventListener("abort", keep, { once: true });
  return AbortSignal.any([...signals]);
}

function keep(): void {}
