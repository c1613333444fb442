import { cleanText } from "./clean.ts";
import type { EventOutput } from "./event-output.ts";
import type { Sink } from "./sink.ts";

/** The turn's final text and nothing else; a turn that did not complete has none to give. */
export function quietOutput(out: Sink): EventOutput {
  return {
    async write(event) {
      if (event.type !== "completion" || event.outcome.status !== "completed") return;
      const { text } = event.outcome;
      await out.write(`${out.isTerminal ? cleanText(text) : text}\n`);
    },
    close() {},
  };
}
