import type { HostProcess } from "../../core/host.ts";
import type { Program } from "./host-test.ts";

/** A program in JavaScript. */
export const node = (source: string, ...args: string[]): Program => ({
  file: process.execPath,
  args: ["-e", source, ...args],
});

export const sh = (script: string): Program => ({ file: "/bin/sh", args: ["-c", script] });

/** Says `ready` and lives until it is ended. */
export const idle = sh("echo ready; exec sleep 1000");

/** Answers every line, and leaves when told to. */
export const echo = node(`
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    if (line === "leave") process.exit(0);
    console.log("heard " + line);
  });
  console.log("ready");
`);

/** A tree that does its best to get away: a child, one in a session of its own, and one without a parent. */
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

/** All that the program says until it ends. */
export async function readAll(process: HostProcess, from = 0): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of process.output({ from })) parts.push(bytes);
  return Buffer.concat(parts);
}

/** Reads until the program has said this. */
export async function readUntil(process: HostProcess, text: string, from = 0): Promise<string> {
  let said = Buffer.alloc(0);
  for await (const { bytes } of process.output({ from })) {
    said = Buffer.concat([said, bytes]);
    if (said.includes(text)) return said.toString();
  }
  throw new Error(
    `The program ended without saying ${text}: ${said} ${await process.stderrTail()}`,
  );
}
