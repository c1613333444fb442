import { styleText } from "node:util";

type Example = readonly [command: string, meaning: string];

/** The part of a help text that people read first. */
export function examples(list: readonly Example[]): string {
  const width = Math.max(...list.map(([command]) => command.length));
  const lines = list.map(
    ([command, meaning]) => `  ${command.padEnd(width)}   ${styleText("dim", meaning)}`,
  );
  return `\n${styleText("bold", "Examples:")}\n${lines.join("\n")}`;
}
