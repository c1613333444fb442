import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { methodNames } from "../../adapter-kit/schema-names.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { findProgram, type ProgramPaths } from "../../programs/program.ts";
import { codexSearch } from "./find.ts";

/** Returns the methods and fields in the schema that the installed Codex prints. */
export async function schemaNames(paths: ProgramPaths): Promise<string[]> {
  const { file } = await findProgram(codexSearch(paths));
  const directory = await mkdtemp(join(tmpdir(), "halyard-schema-"));
  try {
    const env = allowedEnvironment(paths.env, { CODEX_HOME: join(directory, "home") });
    const args = ["app-server", "generate-json-schema", "--out", directory];
    await promisify(execFile)(file, args, { env, timeout: LIMIT_MS });
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(directory, `${name}.json`), "utf8"));
    const schemas = await Promise.all(files.map(read));
    return [...new Set(schemas.flatMap(methodNames))].sort();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const files = ["ClientRequest", "ServerRequest", "ServerNotification"];

const LIMIT_MS = 30_000;
