#!/usr/bin/env node
import * as nodeModule from "node:module";

// Where Node can keep compiled code on disk (22.8 and later), a second start costs less.
const enableCompileCache: unknown = Reflect.get(nodeModule, "enableCompileCache");
if (typeof enableCompileCache === "function") enableCompileCache();

const { runProgram } = await import("./program.ts");
const exitCode = await runProgram(process.argv);
// A runtime in this process may leave timers and sockets behind: nothing of them is worth waiting for.
process.exit(exitCode);
