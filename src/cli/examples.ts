import { styleText } from "node:util";

type Example = readonly [command: string, meaning: string];

/** Formats the "Examples" section of a help text: one line per example, or two per example if any line is too long. */
export function examples(list: readonly Example[]): string {
  const width = Math.max(...list.map(([command]) => command.length));
  const isNarrow = list.every(([, meaning]) => width + meaning.length < 74);
  const lines = list.map(([command, meaning]) => {
    const note = styleText("dim", meaning);
    return isNarrow ? `  ${command.padEnd(width)}   ${note}` : `  ${command}\n      ${note}`;
  });
  return `\n${styleText("bold", "Examples:")}\n${lines.join("\n")}`;
}
