import type { StreamEvent } from "../../schema/event.ts";
import type { Format } from "../choices.ts";
import type { Console } from "../console/console.ts";
import { cleanText } from "../text/clean.ts";
import type { Sink } from "./sink.ts";
import { createSpinner, noSpinner } from "./spinner.ts";
import { type TextOutputOptions, textOutput } from "./text-output.ts";

/** Prints events in one of the output formats. */
export interface EventOutput {
  /** Prints an event. Resolves when the output accepts more data. */
  write(event: StreamEvent): Promise<void>;
  /** Hides the spinner, if there is one. */
  close(): void;
}

/** Creates the output that prints events in a format. */
export async function createEventOutput(
  format: Format,
  console: Console,
  options: TextOutputOptions = {},
): Promise<EventOutput> {
  switch (format) {
    case "json":
      return jsonOutput(console.out);
    case "quiet":
      return quietOutput(console.out);
    case "text": {
      const isLive = console.canAnimate && console.out.isTTY && !options.echo;
      const spinner = isLive ? await createSpinner() : noSpinner;
      return textOutput(console.out, spinner, options);
    }
  }
}

/** Prints one event per line as JSON, and nothing else. */
function jsonOutput(out: Sink): EventOutput {
  return {
    write: (event) => out.write(`${JSON.stringify(event)}\n`),
    close() {},
  };
}

/** Prints only the final text of a completed turn, or its JSON value if the message had a schema. */
function quietOutput(out: Sink): EventOutput {
  return {
    async write(event) {
      if (event.type !== "completion" || event.outcome.status !== "completed") return;
      const { data } = event.outcome;
      const text = data === undefined ? event.outcome.text : JSON.stringify(data);
      await out.write(`${out.isTTY ? cleanText(text) : text}\n`);
    },
    close() {},
  };
}
