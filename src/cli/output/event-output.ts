import type { StreamEvent } from "../../schema/event.ts";
import type { Format } from "../choices.ts";
import type { Terminal } from "../terminal.ts";
import { jsonOutput } from "./json.ts";
import { quietOutput } from "./quiet.ts";
import { createSpinner, noSpinner } from "./spinner.ts";
import { type TextOutputOptions, textOutput } from "./text-output.ts";

/** Where a turn's events go. */
export interface EventOutput {
  /** Resolves when there is room for more. */
  write(event: StreamEvent): Promise<void>;
  /** Takes down whatever moves. */
  close(): void;
}

export async function createEventOutput(
  format: Format,
  terminal: Terminal,
  options: TextOutputOptions = {},
): Promise<EventOutput> {
  switch (format) {
    case "json":
      return jsonOutput(terminal.out);
    case "quiet":
      return quietOutput(terminal.out);
    case "text": {
      const isLive = terminal.isLively && terminal.out.isTerminal && !options.echo;
      const spinner = isLive ? await createSpinner() : noSpinner;
      return textOutput(terminal.out, spinner, options);
    }
  }
}
