import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type Finished, program, type User } from "./start-cli.ts";

/**
 * Runs `halyard` in a process that may have run other commands before, and resolves when the command ends. The run skips the
 * start of Node and the loading of files, which take most of the time of a short command. To test the process itself, call
 * `halyard`, which starts a new one.
 */
export async function runWarm(
  { cwd, env }: User,
  args: readonly string[],
  input = "",
): Promise<Finished> {
  const runner = idle.pop() ?? startRunner();
  const finished = new Promise<Finished>((resolve, reject) => {
    runner.once("message", (message) => resolve(Result.parse(message)));
    runner.once("exit", () => reject(new Error(`"halyard ${args.join(" ")}" crashed.`)));
  });
  let isBusy = true;
  onTestFinished(() => {
    if (isBusy) runner.kill("SIGKILL");
  });
  runner.send({ cwd, env, args, input });
  const result = await finished;
  isBusy = false;
  runner.removeAllListeners("exit");
  idle.push(runner);
  return result;
}

/** Processes that wait for a command. They exit with the process of the test. */
const idle: ChildProcess[] = [];

const Result = z.object({ exitCode: z.number(), stdout: z.string(), stderr: z.string() });

function startRunner(): ChildProcess {
  const runner = fork(file, [program], {
    execArgv: [],
    stdio: ["pipe", "ignore", "inherit", "ipc"],
  });
  runner.stdin?.end(); // a pipe without data, as for `halyard`
  runner.unref();
  runner.channel?.unref();
  return runner;
}

const file = fileURLToPath(new URL("./warm-program.mjs", import.meta.url));
