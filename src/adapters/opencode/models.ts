import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import type { ProgramPaths } from "../../programs/program.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { keysIn } from "./config/provider-keys.ts";
import { findOpenCode } from "./find.ts";

/**
 * Lists the models of all providers that the user has set up, as `provider/model`. Throws `agent_failed` if the command
 * `opencode models` fails.
 */
export async function listModels(paths: ProgramPaths): Promise<ModelInfo[]> {
  const { file } = await findOpenCode(paths);
  try {
    const { stdout } = await promisify(execFile)(file, ["models"], {
      env: allowedEnvironment(paths.env, keysIn(paths.env)),
      timeout: LIMIT_MS,
    });
    const lines = stdout.split("\n").map((line) => line.trim());
    return lines.filter((line) => /^[^\s/]+\/\S+$/.test(line)).map((id) => ({ id }));
  } catch (cause) {
    const message = `OpenCode cannot list its models. Run "opencode models" to check its setup. Reason: ${reasonOf(cause)}`;
    throw new HalyardError("agent_failed", message, { cause });
  }
}

const LIMIT_MS = 30_000;
