import { cleanLine } from "./clean.ts";
import { displayWidth, pad } from "./display-width.ts";

/**
 * Rows as aligned columns, each in one line whatever is in its cells; the last column is not padded. Colour comes later,
 * so that it cannot disturb the widths.
 */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(cleanLine));
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
