import { HalyardError } from "../../core/error.ts";
import type { Terminal } from "../terminal.ts";

/** Asks before data is deleted if a person sits at the console. Programs are not asked. */
export async function confirmLoss(
  question: string,
  terminal: Terminal,
  { yes = false }: { yes?: boolean },
): Promise<void> {
  if (yes || !terminal.isAttended) return;
  if (await confirm(question, terminal)) return;
  throw new HalyardError("cancelled", "Nothing was deleted.");
}

/**
 * Asks a question on the console. Only `y` and `yes`, typed after the question was drawn, mean yes. Returns undefined if
 * Ctrl-C or the end of the input withdrew the question.
 */
export async function confirm(
  question: string,
  { input }: Pick<Terminal, "input">,
): Promise<boolean | undefined> {
  const { askLine } = await import("./ask-line.ts");
  const interrupted = new AbortController();
  const answer = await askLine(`${question} [y/N] `, {
    input,
    output: process.stderr,
    signal: interrupted.signal,
    onInterrupt: () => interrupted.abort(),
  });
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
}
