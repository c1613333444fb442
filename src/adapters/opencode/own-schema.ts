import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { operationNames } from "../../adapter-kit/schema-names.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import type { ProgramPaths } from "../../programs/program.ts";
import { findOpenCode } from "./find.ts";

/** Returns the operations and events in the OpenAPI document that the installed OpenCode prints. */
export async function schemaNames(paths: ProgramPaths): Promise<string[]> {
  const { file } = await findOpenCode(paths);
  const directory = await mkdtemp(join(tmpdir(), "halyard-schema-"));
  try {
    const names = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
    const own = Object.fromEntries(names.map((name) => [name, join(directory, name)]));
    const { stdout } = await promisify(execFile)(file, ["generate"], {
      cwd: directory,
      env: allowedEnvironment(paths.env, own),
      timeout: LIMIT_MS,
      maxBuffer: MAX_BYTES,
    });
    return [...new Set(operationNames(JSON.parse(stdout)))].sort();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const LIMIT_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;
