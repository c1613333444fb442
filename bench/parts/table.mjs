/**
 * @typedef {object} Row One result of Halyard and the baseline of the same run.
 * @property {string} figure
 * @property {string} ours
 * @property {string} beside
 * @property {string} [target]
 * @property {boolean} [isMet]
 * @property {Record<string, unknown>} data The numbers from which the row was calculated.
 */

/**
 * Returns a Markdown table.
 * @param {readonly Row[]} rows
 */
export function toTable(rows) {
  const head = ["figure", "ours", "beside it", "target", "met"];
  const cells = rows.map((row) => [
    row.figure,
    row.ours,
    row.beside,
    row.target ?? "",
    verdict(row),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...cells].map((texts) => texts[column]?.length ?? 0)),
  );
  const toLine = (/** @type {string[]} */ texts) =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [toLine(head), rule, ...cells.map(toLine)].join("\n");
}

/** @param {Row} row */
function verdict({ isMet }) {
  if (isMet === undefined) return "";
  return isMet ? "yes" : "NO";
}
