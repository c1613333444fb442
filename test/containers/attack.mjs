/**
 * Runs in a container as the agent's user. Tries to change the routes and all files in a container directory except the state
 * of sessions, and prints the paths that it could change. `node attack.mjs <directory> <victim>`.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const [place = "", victim = ""] = process.argv.slice(2);
/** @type {string[]} */
const changed = [];

/** @param {string} path @param {() => void} action */
function attempt(path, action) {
  try {
    action();
    changed.push(path);
  } catch {
    // Expected: the change is not permitted.
  }
}

/** @param {string} directory */
function walk(directory) {
  for (const entry of entriesIn(directory)) {
    if (entry.name === "sessions") continue; // the agent may change its own state
    const path = join(directory, entry.name);
    if (entry.isDirectory()) walk(path);
    attempt(path, () => chmodSync(path, 0o777));
    if (entry.isFile()) attempt(path, () => appendFileSync(path, " "));
    attempt(path, () => linkSync(path, `${path}.hard`));
    attempt(path, () => renameSync(path, `${path}.moved`));
    attempt(path, () => {
      rmSync(path, { recursive: true });
      symlinkSync(victim, path);
    });
  }
  const planted = join(directory, "planted");
  attempt(planted, () => writeFileSync(planted, "x"));
  attempt(planted, () => symlinkSync(victim, `${planted}.link`));
  attempt(planted, () => execFileSync("mkfifo", [`${planted}.fifo`], { stdio: "ignore" }));
}

/** @param {string} directory */
function entriesIn(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

walk(place);
walk("/run/halyard/routes");
console.log(JSON.stringify(changed));
