import { cleanLine } from "./clean.ts";
import { displayWidth, pad, shorten, shortenLeft } from "./display-width.ts";

export interface TableOptions {
  /** How wide a row may be; defaults to any width. */
  readonly columns?: number;
  /** The columns that are cut if a row is too wide, and which end of their cells stays. */
  readonly flexible?: Readonly<Record<number, "start" | "end">>;
}

/**
 * Rows as aligned columns, each in one line whatever is in its cells; the last column is not padded. Color comes later,
 * so that it cannot disturb the widths.
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
const LEAST = 10;

/** Takes room from the widest of the flexible columns, until a row fits or all of them are narrow. */
function shrink(widths: number[], columns: number, flexible: readonly number[]): void {
  const total = () => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > columns) {
    const widest = flexible.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a), -1);
    const width = widths[widest] ?? 0;
    if (width <= LEAST) return;
    widths[widest] = width - 1;
  }
}
