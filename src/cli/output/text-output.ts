import { Activity } from "./activity.ts";
import type { EventOutput } from "./event-output.ts";
import type { Sink } from "./sink.ts";
import type { Spinner } from "./spinner.ts";
import { TextRenderer } from "./text.ts";

export interface TextOutputOptions {
  /** Show the user's messages and the session's life too. */
  readonly echo?: boolean;
}

/** Events for people to read, with a sign of life while nothing comes. */
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
