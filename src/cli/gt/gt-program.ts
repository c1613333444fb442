import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Environment } from "../../config/paths.ts";
import { HalyardError } from "../../core/error.ts";

/** Gas Town's own program, where it is on the PATH. */
export async function findGt({ PATH = "" }: Environment): Promise<string | undefined> {
  for (const directory of PATH.split(delimiter).filter(Boolean)) {
    const file = join(directory, "gt");
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}

/** Whether it has a preset for an agent; one that it does not know it would quietly replace by another. */
export async function hasPreset(file: string, agent: string, env: Environment): Promise<boolean> {
  return (await start(file, ["config", "agent", "get", agent], { stdio: "ignore", env })) === 0;
}

/** Runs it in that directory with our console as its own; resolves with its exit code. */
export function runGt(
  file: string,
  args: readonly string[],
  place: { readonly env: Environment; readonly cwd: string },
): Promise<number> {
  return start(file, args, { stdio: "inherit", ...place });
}

function start(
  file: string,
  args: readonly string[],
  { env, ...options }: { stdio: "inherit" | "ignore"; env: Environment; cwd?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const gt = spawn(file, args, { ...options, env: { ...env } });
    gt.once("error", (cause) =>
      reject(new HalyardError("start_failed", `${file} cannot be run (${cause.message})`)),
    );
    gt.once("exit", (code) => resolve(code ?? 1));
  });
}
