import { stderr } from "node:process";
import type { Session } from "../../contracts/halyard.ts";
import type { Format } from "../choices.ts";
import type { Console } from "../console/console.ts";
import type { Asker } from "./asking-output.ts";
import { promptPermission } from "./prompt-permission.ts";
import { requestLines } from "./request-lines.ts";

export interface AskerOptions {
  readonly format: Format;
  readonly onInterrupt: () => void;
}

/**
 * Creates an `Asker` that asks about a session's requests on this console. Prints a request first if the output does
 * not show it.
 */
export function createAsker(
  session: Session,
  { input, out, err }: Console,
  { format, onInterrupt }: AskerOptions,
): Asker {
  const { colors } = err;
  const isShown = format === "text" && out.isTTY;
  return {
    async ask(request, { signal }) {
      if (!isShown) await err.write(`${requestLines(request, colors).join("\n")}\n`);
      return promptPermission(request, { input, output: stderr, colors, signal, onInterrupt });
    },
    answer: (requestId, answer) => session.answer(requestId, answer),
  };
}
