import { HalyardError } from "../../core/error.ts";
import type { Terminal } from "../terminal.ts";

/** Asks before something is lost for good, if a person sits at the console. Programs are not asked. */
export async function confirmLoss(
  question: string,
  { input, isAttended }: Terminal,
  { yes = false }: { yes?: boolean },
): Promise<void> {
  if (yes || !isAttended) return;
  const { askLine } = await import("./ask-line.ts");
  const interrupted = new AbortController();
  const answer = await askLine(`${question} [y/N] `, {
    input,
    output: process.stderr,
    signal: interrupted.signal,
    onInterrupt: () => interrupted.abort(),
  });
  if (/^y(es)?$/i.test(answer?.trim() ?? "")) return;
  throw new HalyardError("cancelled", "Nothing was deleted.");
}
