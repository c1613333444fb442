// Initializes a runtime with the files in the folder `config` of the working directory, and closes it at the end of stdin.
import { newRuntime } from "../../dist/compat/oubliette/index.js";

const [context = "{}"] = process.argv.slice(2);
const runtime = newRuntime();
await runtime.initialize(JSON.parse(context));
console.log("ready");
for await (const _ of process.stdin);
await runtime.close();
