import { stderr } from "node:process";
import type { Session } from "../../core/halyard.ts";
import type { Format } from "../choices.ts";
import type { Asker } from "../output/asking-output.ts";
import { promptPermission } from "../output/prompt-permission.ts";
import { requestLines } from "../output/request-lines.ts";
import type { Terminal } from "../terminal.ts";

export interface AskerOptions {
  readonly format: Format;
  readonly onInterrupt: () => void;
}

/** Asks for a session's permissions on this console. Draws a request first if the output format does not show it. */
export function createAsker(
  session: Session,
  { input, out, err }: Terminal,
  { format, onInterrupt }: AskerOptions,
): Asker {
  const { colors } = err;
  const isShown = format === "text" && out.isTerminal;
  return {
    async ask(request, { signal }) {
      if (!isShown) await err.write(`${requestLines(request, colors).join("\n")}\n`);
      return promptPermission(request, { input, output: stderr, colors, signal, onInterrupt });
    },
    answer: (requestId, answer) => session.answer(requestId, answer),
  };
}
