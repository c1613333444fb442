import { displayWidth } from "./display-width.ts";

/**
 * Wraps a line between words. Lines after the first begin with `hang`. A word that is wider than `columns` gets its own
 * line, so that a path or an address can be copied.
 */
export function wrapWords(text: string, columns: number, hang = ""): string[] {
  if (displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=\S) +/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line.trim() === "" || displayWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = `${hang}${word}`;
    }
  }
  return [...lines, line];
}

/** Wraps every line of a text between words. */
export function wrapText(text: string, columns: number, hang = ""): string {
  return text
    .split("\n")
    .flatMap((line) => wrapWords(line, columns, hang))
    .join("\n");
}
