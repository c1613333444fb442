/**
 * Runs `halyard demo` and draws what it really printed: docs/images/demo.svg. Reads dist/: build first.
 * node scripts/draw-demo.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));
const PICTURE = new URL("../docs/images/demo.svg", import.meta.url);
const [LEFT, TOP, LINE_HEIGHT, CHARACTER_WIDTH] = [20, 58, 19, 8.05];

/** By the numbers of the escape sequences. */
const STYLES = { 1: "bold", 2: "dim", 32: "green", 36: "cyan" };

const home = mkdtempSync(join(tmpdir(), "halyard-"));
try {
  const env = { PATH: process.env.PATH, HOME: home, FORCE_COLOR: "1" };
  const output = execFileSync(process.execPath, [HALYARD, "demo"], { env, encoding: "utf8" });
  writeFileSync(PICTURE, draw(["$ npx halyard demo", ...output.trimEnd().split("\n")]));
} finally {
  rmSync(home, { recursive: true, force: true });
}

function draw(lines) {
  const rows = lines.map(toRuns);
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
  <title id="title">What halyard demo prints</title>
  <style>
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6dee6; white-space: pre }
    .bold { font-weight: 700; fill: #ffffff }
    .dim { fill: #8494a4 }
    .green { fill: #6fcf97 }
    .cyan { fill: #56c8d8 }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#10171e"/>
  <circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
${text.join("")}</svg>
`;
}

/** A line as stretches of one style each; neighbours of the same style are one. */
function toRuns(line) {
  const runs = [];
  let style = "";
  for (const [index, part] of line.split("\x1b[").entries()) {
    const [, code, text] = index === 0 ? ["", undefined, part] : (/^(\d+)m(.*)$/s.exec(part) ?? []);
    if (code !== undefined) style = STYLES[code] ?? "";
    if (text && runs.at(-1)?.style === style) runs.at(-1).text += text;
    else if (text) runs.push({ text, style });
  }
  return runs;
}

function toXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
