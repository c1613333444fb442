import type { StreamEvent } from "../../schema/event.ts";
import type { EventOutput } from "./event-output.ts";
import type { Sink } from "./sink.ts";
import type { Spinner } from "./spinner.ts";
import { TextRenderer } from "./text.ts";
import { essence } from "./tool-input.ts";
import { firstLine, shorten } from "./words.ts";

export interface TextOutputOptions {
  /** Show the user's messages and the session's life too. */
  readonly echo?: boolean;
}

/** Events as people like to read them, with a sign of life while nothing comes. */
export function textOutput(
  out: Sink,
  spinner: Spinner,
  { echo = false }: TextOutputOptions,
): EventOutput {
  const renderer = new TextRenderer({ colors: out.colors, columns: () => out.columns, echo });
  return {
    async write(event) {
      const text = renderer.render(event);
      if (text !== "") spinner.hide();
      await out.write(text);
      const wait = waitingFor(event);
      if (wait === "nothing") spinner.hide();
      else if (renderer.atLineStart) spinner.show(shorten(wait, out.columns - 4));
    },
    close: () => spinner.hide(),
  };
}

/** What the next event will be the end of. */
function waitingFor(event: StreamEvent): string {
  if (event.type === "completion") return "nothing";
  if (event.type === "request" && event.verdict === "ask") return "nothing";
  if (event.type === "tool_call") return `${event.name} ${firstLine(essence(event.input))}`.trim();
  return `${event.runtime} is thinking`;
}
