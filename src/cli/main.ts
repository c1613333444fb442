#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { keepCompiled } from "./keep-compiled.ts";

keepCompiled(dirname(fileURLToPath(import.meta.url)));

// Whoever reads may leave at any time, and commands look after that; it must not end the process.
const streams = [process.stdout, process.stderr];
for (const stream of streams) stream.on("error", () => {});

void main();

/** A function, for where a module waits the bundler takes no chances, and makes a file more of every command. */
async function main(): Promise<never> {
  const { runProgram } = await import("./program.ts");
  const exitCode = await runProgram(process.argv);
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.write("", resolve))));
  // A runtime in this process may leave timers and sockets behind: none of them is worth waiting for.
  process.exit(exitCode);
}
