/**
 * Mounts a disk of 2 MiB as the home, which HALYARD_HOME names. Fills the disk during a turn, frees it again, and prints the
 * results as JSON. Runs in its own mount namespace.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connectHalyard } from "../../dist/client/index.js";

const home = process.env.HALYARD_HOME ?? "";
const cwd = process.cwd();
const ballast = join(home, "ballast");
mkdirSync(home, { recursive: true });
await promisify(execFile)("mount", ["-t", "tmpfs", "-o", "size=2m", "none", home]);

const program = fileURLToPath(new URL("fake-daemon.mjs", import.meta.url));
const daemon = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
await once(daemon.stdout, "data");
const halyard = await connectHalyard(join(home, "daemon.sock"));
const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
const prompt = "say before; sh until [ -e go ]; do sleep 0.01; done; stream 3000; say never";
const turn = session.send(prompt);
for await (const { type } of turn) if (type === "tool_call") break;

fill();
const refused = await session.send("say no").outcome;
writeFileSync(join(cwd, "go"), "");
while (runs(session.info.pid)) await sleep(10);
rmSync(ballast);

const outcome = await turn.outcome;
await session.stop();
const events = [];
for await (const event of session.events()) events.push(event);
const recalled = await (await halyard.resume(session.id)).send("recall").outcome;
process.stdout.write(JSON.stringify({ refused, outcome, events, recalled }));
await (await halyard.session(session.id)).stop();
daemon.kill("SIGTERM");
await once(daemon, "exit");
await halyard[Symbol.asyncDispose]();

function fill() {
  try {
    writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
  } catch {
    // The disk is full, as intended.
  }
}

/** @param {number | undefined} pid */
function runs(pid = 0) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
