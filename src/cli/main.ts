#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { keepCompiled } from "./keep-compiled.ts";

keepCompiled(dirname(fileURLToPath(import.meta.url)));

// Whoever reads may leave at any time, and commands look after that; it must not end the process.
const { stdout, stderr } = process;
let trouble: unknown;
stdout.on("error", (error) => {
  trouble ??= error;
});
stderr.on("error", () => {});

void main();

/** A function, for where a module waits the bundler takes no chances, and makes a file more of every command. */
async function main(): Promise<never> {
  const { runProgram } = await import("./program.ts");
  const exitCode = await runProgram(process.argv);
  await flush();
  // A runtime in this process may leave timers and sockets behind: none of them is worth waiting for.
  process.exit(exitCode === 0 && trouble !== undefined ? await reportUnwritten(trouble) : exitCode);
}

async function flush(): Promise<void> {
  const written = [stdout, stderr].map(
    (stream) => new Promise((resolve) => stream.write("", resolve)),
  );
  await Promise.all(written);
}

/** What nobody could write down was not done, as on a disk that is full; a reader that has left is no trouble. */
async function reportUnwritten(error: unknown): Promise<number> {
  const { reportError } = await import("./report-error.ts");
  const exitCode = await reportError(error, process.argv);
  await flush();
  return exitCode;
}
