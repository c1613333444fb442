/**
 * Kills this process with SIGKILL immediately before one of the file changes that `dist/workspace` makes itself. Import this file
 * before any other module. `KILL_AT_CHANGE` is the number of the change; without it, the process is not killed. Each change
 * adds a line to the file `KILL_CHANGES`.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { KILL_AT_CHANGE, KILL_CHANGES = "" } = process.env;
const log = fs.openSync(KILL_CHANGES, "a");
const append = fs.writeSync;
let changes = 0;
Error.stackTraceLimit = 30;

const NAMES = [
  ...["appendFile", "chmod", "copyFile", "cp", "link", "mkdir", "mkdtemp", "open", "rename", "rm"],
  ...["rmdir", "symlink", "truncate", "unlink", "writeFile"],
];

for (const name of NAMES) {
  patch(fs.promises, name);
  patch(fs, `${name}Sync`);
}
syncBuiltinESMExports();

/**
 * @param {Record<string, any>} module
 * @param {string} name
 */
function patch(module, name) {
  const original = module[name];
  module[name] = (/** @type {any[]} */ ...args) => {
    if (isChange(name, args)) countChange(`${name} ${args[0]}`);
    return original.apply(module, args);
  };
}

/**
 * @param {string} name
 * @param {any[]} args
 */
function isChange(name, args) {
  if (name.startsWith("open") && (args[1] === undefined || args[1] === "r" || isRead(args[1])))
    return false;
  return new Error().stack?.includes("/dist/workspace/") === true;
}

/** @param {unknown} flags */
function isRead(flags) {
  return typeof flags === "number" && (flags & 3) === fs.constants.O_RDONLY;
}

/** @param {string} change */
function countChange(change) {
  changes++;
  append(log, `${change}\n`);
  if (changes === Number(KILL_AT_CHANGE)) process.kill(process.pid, "SIGKILL");
}
