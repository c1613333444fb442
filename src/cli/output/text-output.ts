import { Activity } from "../attach/activity.ts";
import type { EventOutput } from "./event-output.ts";
import type { Sink } from "./sink.ts";
import type { Spinner } from "./spinner.ts";
import { TextRenderer } from "./text.ts";

export interface TextOutputOptions {
  /**
   * True to also show the user's messages, checkpoints, and when the session starts, is detached or ends. Defaults to
   * false.
   */
  readonly echo?: boolean;
}

/** Prints events as text, with a spinner while the agent works. */
export function textOutput(
  out: Sink,
  spinner: Spinner,
  { echo = false }: TextOutputOptions,
): EventOutput {
  const { colors } = out;
  const renderer = new TextRenderer({
    colors,
    columns: () => out.columns,
    echo,
    markdown: out.isRich,
  });
  const activity = new Activity();
  return {
    async write(event) {
      activity.note(event);
      const text = renderer.render(event);
      if (text !== "") spinner.hide();
      await out.write(text);
      if (activity.isAtRest) spinner.hide();
      else if (renderer.atLineStart)
        spinner.show(() => activity.describe(out.columns - 4, Date.now()));
    },
    close: () => spinner.hide(),
  };
}
