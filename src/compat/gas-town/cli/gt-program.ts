import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Environment } from "../../../config/paths.ts";
import { HalyardError } from "../../../errors/error.ts";

/** Returns the path of the `gt` program, or undefined if the PATH does not contain it. */
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

/** True if gt has a preset for an agent. Without one, gt would silently run another agent. */
export async function hasPreset(file: string, agent: string, env: Environment): Promise<boolean> {
  return (await start(file, ["config", "agent", "get", agent], { stdio: "ignore", env })) === 0;
}

/** Runs gt in a directory, on this console. Resolves to gt's exit code, or to 1 if a signal killed gt. */
export function runGt(
  file: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly cwd: string },
): Promise<number> {
  return start(file, args, { stdio: "inherit", ...options });
}

function start(
  file: string,
  args: readonly string[],
  { env, ...options }: { stdio: "inherit" | "ignore"; env: Environment; cwd?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const gt = spawn(file, args, { ...options, env: { ...env } });
    gt.once("error", (cause) =>
      reject(
        new HalyardError(
          "start_failed",
          `Cannot run ${file}: ${cause.message}. Add --no-gt to use Halyard instead.`,
        ),
      ),
    );
    gt.once("exit", (code) => resolve(code ?? 1));
  });
}
