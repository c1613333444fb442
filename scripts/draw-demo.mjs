/**
 * Runs `halyard demo` and draws what it really printed: docs/images/demo.svg. Reads dist/: build first.
 * node scripts/draw-demo.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal } from "./terminal-picture.mjs";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));
const PICTURE = new URL("../docs/images/demo.svg", import.meta.url);

const home = mkdtempSync(join(tmpdir(), "halyard-"));
try {
  const env = { PATH: process.env.PATH, HOME: home, FORCE_COLOR: "1" };
  const output = execFileSync(process.execPath, [HALYARD, "demo"], { env, encoding: "utf8" });
  const lines = ["$ npx halyard demo", ...output.trimEnd().split("\n")];
  writeFileSync(PICTURE, drawTerminal(lines, "What halyard demo prints"));
} finally {
  rmSync(home, { recursive: true, force: true });
}
