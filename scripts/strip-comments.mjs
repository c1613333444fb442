/**
 * Removes comments from the modules in dist/, because comments would be a tenth of the package. The declarations beside the
 * modules contain the documentation. Skips dist/bin and dist/web, which are bundles. Runs at the end of each build.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".js") || /^(?:bin|web)\//.test(name)) continue;
  const source = readFileSync(`${dist}${name}`, "utf8");
  const { code } = transformSync(source, { format: "esm", legalComments: "none", charset: "utf8" });
  if (code !== source) writeFileSync(`${dist}${name}`, code);
}
