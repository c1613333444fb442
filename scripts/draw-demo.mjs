/**
 * Runs `halyard demo` in a real console (tmux) and draws what it shows: docs/images/demo.svg. Run `npm run build` first.
 * node scripts/draw-demo.mjs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawConsole } from "./typed-console.mjs";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));

const home = mkdtempSync(join(tmpdir(), "halyard-"));
try {
  const bin = join(home, "bin");
  mkdirSync(bin);
  // Runs "npx halyard" as in a clone of the repository, without starting npm.
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${HALYARD}' "$@"\n`;
  writeFileSync(join(bin, "npx"), npx, { mode: 0o700 });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    PS1: "$ ",
  };
  const options = { title: "What halyard demo prints", directory: home, cwd: home, env };
  await drawConsole("demo", options, async ({ type, until }) => {
    type("npx halyard demo");
    await until(/OPENAI_API_KEY\)\n[#$]/);
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}
