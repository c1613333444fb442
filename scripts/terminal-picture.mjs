const [LEFT, TOP, LINE_HEIGHT, CHARACTER_WIDTH] = [20, 58, 19, 8.05];

const COLORS = { 31: "red", 32: "green", 33: "yellow", 36: "cyan" };

/**
 * Draws lines of a console, with their escape sequences for colors, as an SVG.
 * @param {readonly string[]} lines
 * @param {string} title
 */
export function drawTerminal(lines, title) {
  /** @type {Set<string>} */
  const styles = new Set(); // a style lasts until an escape sequence ends it, even on the next line
  const rows = lines.map((line) => toRuns(line, styles));
  const columns = Math.max(
    ...rows.map((runs) => runs.reduce((sum, { text }) => sum + [...text].length, 0)),
  );
  const width = Math.ceil(2 * LEFT + columns * CHARACTER_WIDTH);
  const height = TOP + rows.length * LINE_HEIGHT + 6;
  const text = rows.map((runs, row) => {
    const spans = runs.map(
      ({ text, style }) => `<tspan${style && ` class="${style}"`}>${toXml(text)}</tspan>`,
    );
    return spans.length === 0
      ? ""
      : `  <text x="${LEFT}" y="${TOP + row * LINE_HEIGHT}" xml:space="preserve">${spans.join("")}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">${toXml(title)}</title>
  <style>
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6dee6; white-space: pre }
    .bold { font-weight: 700; fill: #ffffff }
    .dim { fill: #8494a4 }
    .underline { text-decoration: underline }
    .green { fill: #6fcf97 }
    .cyan { fill: #56c8d8 }
    .yellow { fill: #e9c46a }
    .red { fill: #f28b82 }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#10171e"/>
  <circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
${text.join("")}</svg>
`;
}

/**
 * Splits a line into runs of one style each. Updates `styles` to the styles at the end of the line.
 * @param {string} line
 * @param {Set<string>} styles
 */
function toRuns(line, styles) {
  /** @type {{ text: string, style: string }[]} */
  const runs = [];
  for (const [index, part] of line.split("\x1b[").entries()) {
    const [, codes, text = ""] =
      index === 0 ? ["", undefined, part] : (/^([\d;]*)m(.*)$/s.exec(part) ?? []);
    if (codes !== undefined) for (const code of codes.split(";")) apply(Number(code), styles);
    const style = [...styles].sort().join(" ");
    const last = runs.at(-1);
    if (text && last?.style === style) last.text += text;
    else if (text) runs.push({ text, style });
  }
  return runs;
}

/**
 * @param {number} code
 * @param {Set<string>} styles
 */
function apply(code, styles) {
  const colors = Object.entries(COLORS);
  if (code === 0) styles.clear();
  if (code === 1) styles.add("bold");
  if (code === 2) styles.add("dim");
  if (code === 4) styles.add("underline");
  if (code === 22) for (const style of ["bold", "dim"]) styles.delete(style);
  if (code === 24) styles.delete("underline");
  if (code >= 30 && code <= 39) for (const [, color] of colors) styles.delete(color);
  for (const [number, color] of colors) if (Number(number) === code) styles.add(color);
}

/** @param {string} text */
function toXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
