import { styleText } from "node:util";

type Example = readonly [command: string, meaning: string];

/** The part of a help text that people read first. */
export function examples(list: readonly Example[]): string {
  const width = Math.max(...list.map(([command]) => command.length));
  const isNarrow = list.every(([, meaning]) => width + meaning.length < 74);
  const lines = list.map(([command, meaning]) => {
    const words = styleText("dim", meaning);
    return isNarrow ? `  ${command.padEnd(width)}   ${words}` : `  ${command}\n      ${words}`;
  });
  return `\n${styleText("bold", "Examples:")}\n${lines.join("\n")}`;
}
