import { join } from "node:path";
// cached-runtimes.mjs is plain JavaScript, because the benchmarks use it too and run without a TypeScript loader.
import { runtimesDir } from "./cached-runtimes.mjs";

export { runtimesDir };

/** The path of the tested version of Pi as a program, which starts three times as fast as the embedded version. */
export const piProgram = join(runtimesDir, "pi", "node_modules", ".bin", "pi");
