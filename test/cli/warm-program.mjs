import Module, { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";

/**
 * Runs the built command once per message in the same process. Each run executes the entry file again, as `node` does; the
 * files that it loads stay in memory. Each run has its own environment, directory, arguments, streams and exit code.
 */
const program = process.argv[2] ?? "";
const require = createRequire(import.meta.url);
const exit = process.exit;
const compile = Reflect.get(Module.prototype, "_compile");

process.on("message", (/** @type {Run} */ run) => void start(run));
process.on("disconnect", () => exit(0));

/**
 * @typedef {{ args: string[], cwd: string, env: Record<string, string>, input: string }} Run
 * @param {Run} run
 */
async function start({ args, cwd, env, input }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  const output = { stdout: "", stderr: "" };
  replace("stdin", Readable.from(input === "" ? [] : [Buffer.from(input)], { objectMode: false }));
  replace("stdout", collect("stdout"));
  replace("stderr", collect("stderr"));
  const exitCode = await new Promise((resolve) => {
    replace("exit", resolve);
    delete require.cache[program];
    require(program);
  });
  // Removes the hooks and listeners that the command would keep until its process exits.
  Reflect.set(Module.prototype, "_compile", compile);
  for (const name of ["exit", "SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  process.chdir("/");
  process.send?.({ exitCode, ...output });

  /** @param {"stdout" | "stderr"} name */
  function collect(name) {
    const decodeStrings = false;
    return new Writable({
      decodeStrings,
      write(text, _encoding, done) {
        output[name] += text;
        done();
      },
    });
  }
}

/**
 * @param {"stdin" | "stdout" | "stderr" | "exit"} name
 * @param {unknown} value
 */
function replace(name, value) {
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
}
