/**
 * Guards a directory: waits until its standard input ends, which also happens if the process that started it is killed. Then
 * kills every process whose working directory is in the directory, and deletes the directory. Argument: the directory.
 */
import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [directory = ""] = process.argv.slice(2);
for await (const _ of process.stdin);
// A process that is being killed may have started another one.
while (killAll() > 0) await sleep(20);
rmSync(directory, { recursive: true, force: true });

function killAll() {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && worksInDirectory(name));
  for (const pid of pids)
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // Ignored: the process had already exited.
    }
  return pids.length;
}

/** @param {string} pid */
function worksInDirectory(pid) {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${directory}/`);
  } catch {
    return false; // the process has exited, or it is a zombie
  }
}
