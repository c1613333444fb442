// A plain JavaScript file, because the benchmarks use it too and run without a TypeScript loader.
export { runtimesDir } from "./cached-runtimes.mjs";
