import type { HostProcess } from "../../contracts/host.ts";
import type { Program } from "./host-test.ts";

/** Returns a program that runs JavaScript source in Node.js. */
export const node = (source: string, ...args: string[]): Program => ({
  file: process.execPath,
  args: ["-e", source, ...args],
});

/** Returns a program that runs a shell script. */
export const sh = (script: string): Program => ({ file: "/bin/sh", args: ["-c", script] });

/** A program that writes `ready` and runs until it is terminated. */
export const idle = sh("echo ready; exec sleep 1000");

/** A program that prints `ready`, then `heard` and the text for each line of its input. It exits after the line `leave`. */
export const echo = node(`
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    if (line === "leave") process.exit(0);
    console.log("heard " + line);
  });
  console.log("ready");
`);

/**
 * Returns a program that starts a child, a process in another process group and an orphan, prints `ready`, and runs
 * `then`.
 */
export const family = (then: string) =>
  node(`
    const { spawn } = require("node:child_process");
    spawn("sleep", ["1000"], { stdio: "ignore" });
    spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
    spawn("/bin/sh", ["-c", "sleep 1000 &"], { stdio: "ignore", detached: true }).on("exit", () => {
      console.log("ready");
      ${then}
    });
  `);

/** Reads a program's output from a byte to its end. */
export async function readAll(process: HostProcess, from = 0): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of process.output({ from })) parts.push(bytes);
  return Buffer.concat(parts);
}

/** Reads and returns the output up to the chunk that completes a text. Throws if the output ends without the text. */
export async function readUntil(process: HostProcess, text: string, from = 0): Promise<string> {
  let said = Buffer.alloc(0);
  for await (const { bytes } of process.output({ from })) {
    said = Buffer.concat([said, bytes]);
    if (said.includes(text)) return said.toString();
  }
  throw new Error(
    `The program exited without printing ${text}: ${said} ${await process.stderrTail()}`,
  );
}
