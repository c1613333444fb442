/**
 * Excludes declarations from the package if no public entry point imports them: writes their paths to dist/.npmignore.
 * node scripts/ignore-types.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = join(root, "dist");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** @type {Set<string>} */
const reached = new Set();
for (const { types } of Object.values(exports)) if (types) reach(join(root, types));
const declarations = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".d.ts"),
);
const ignored = declarations.filter((path) => !reached.has(path)).sort();
writeFileSync(join(dist, ".npmignore"), ignored.map((path) => `/${path}\n`).join(""));

/** @param {string} file */
function reach(file) {
  const path = relative(dist, file);
  if (reached.has(path)) return;
  reached.add(path);
  const source = readFileSync(file, "utf8");
  for (const [, target = ""] of source.matchAll(/(?:from|import|import\()\s*"(\.{1,2}\/[^"]+)"/g))
    reach(join(dirname(file), target.replace(/\.(?:js|ts)$/, ".d.ts")));
}
