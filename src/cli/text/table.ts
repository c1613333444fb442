import { cleanLine } from "./clean.ts";
import { displayWidth, pad, shorten, shortenLeft } from "./display-width.ts";

export interface TableOptions {
  /** The maximum width of a row. Defaults to unlimited. */
  readonly columns?: number;
  /** The columns to shorten if a row is too wide, and which end of their cells is kept. */
  readonly flexible?: Readonly<Record<number, "start" | "end">>;
}

/**
 * Formats rows as aligned columns, one line per row. Line breaks in cells become spaces, control characters are
 * removed, and the last column is not padded. Callers add colors afterwards.
 */
export function table(
  cells: readonly (readonly string[])[],
  { columns = Number.POSITIVE_INFINITY, flexible = {} }: TableOptions = {},
): string[] {
  const rows = cells.map((row) => row.map(cleanLine));
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  shrink(widths, columns, Object.keys(flexible).map(Number));
  const fit = (cell: string, index: number) =>
    (flexible[index] === "end" ? shortenLeft : shorten)(cell, widths[index] ?? 0);
  return rows.map((row) =>
    row
      .map(fit)
      .map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

const GAP = "  ";
const MIN_WIDTH = 10;

/** Narrows the widest flexible column until a row fits, or until all flexible columns have the minimum width. */
function shrink(widths: number[], columns: number, flexible: readonly number[]): void {
  const total = () => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > columns) {
    const widest = flexible.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a), -1);
    const width = widths[widest] ?? 0;
    if (width <= MIN_WIDTH) return;
    widths[widest] = width - 1;
  }
}
