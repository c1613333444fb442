import { HalyardError } from "../../errors/error.ts";

/** Runs `work` with a signal that SIGINT and SIGTERM abort. Rejects with `cancelled` if the work fails after that. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const onInterrupt = () => interrupted.abort();
  process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
  try {
    return await work(interrupted.signal);
  } catch (cause) {
    if (!interrupted.signal.aborted) throw cause;
    throw new HalyardError(
      "cancelled",
      "The installation was interrupted. Run the command again to install the package.",
      { cause },
    );
  } finally {
    process.off("SIGINT", onInterrupt).off("SIGTERM", onInterrupt);
  }
}
