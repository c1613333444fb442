#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { enableCompileCache } from "./compile-cache.ts";

enableCompileCache(dirname(fileURLToPath(import.meta.url)));

// A closed pipe must not end the process. Commands handle it themselves.
const { stdout, stderr } = process;
let writeError: unknown;
stdout.on("error", (error) => {
  writeError ??= error;
});
stderr.on("error", () => {});

void main();

/**
 * Runs the program. This is a function, because with a top-level await the bundler would split every command into an
 * additional file.
 */
async function main(): Promise<never> {
  const { runProgram } = await import("./program.ts");
  const exitCode = await runProgram(process.argv);
  await flush();
  // Exits explicitly, because a runtime in this process can leave timers and sockets open.
  process.exit(
    exitCode === 0 && writeError !== undefined ? await reportWriteError(writeError) : exitCode,
  );
}

async function flush(): Promise<void> {
  const written = [stdout, stderr].map(
    (stream) => new Promise((resolve) => stream.write("", resolve)),
  );
  await Promise.all(written);
}

/** Reports output that could not be written, for example because the disk is full. A closed pipe is not an error. */
async function reportWriteError(error: unknown): Promise<number> {
  const { reportError } = await import("./report-error.ts");
  const exitCode = await reportError(error, process.argv);
  await flush();
  return exitCode;
}
