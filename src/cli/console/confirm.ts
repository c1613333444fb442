import { HalyardError } from "../../errors/error.ts";
import type { Console } from "./console.ts";

/**
 * Asks for confirmation before data is deleted. Throws `cancelled` unless the user confirms. Does not ask if `yes` is
 * set or the console is not interactive.
 */
export async function confirmLoss(
  question: string,
  console: Console,
  { yes = false }: { yes?: boolean },
): Promise<void> {
  if (yes || !console.isAttended) return;
  if (await confirm(question, console)) return;
  throw new HalyardError("cancelled", "The deletion was not confirmed. Nothing was deleted.");
}

/**
 * Asks a question on the console. Only `y` and `yes`, typed after the question was drawn, mean yes. Returns undefined if
 * Ctrl-C or the end of the input cancelled the question.
 */
export async function confirm(
  question: string,
  { input }: Pick<Console, "input">,
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
