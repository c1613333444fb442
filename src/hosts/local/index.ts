import { HalyardError } from "../../core/error.ts";
import type { Host } from "../../core/host.ts";
import { watchStranger } from "./exit-watch.ts";
import { LocalProcess } from "./local-process.ts";
import { findProgram } from "./process-record.ts";
import { createRunFiles, type RunFiles, removeRunFiles, runFilesIn } from "./run-files.ts";
import { spawnProgram } from "./spawn.ts";
import { checkDirectory, explainRunDir } from "./start-failure.ts";

/** Processes of this machine, which outlive us and are found again by their run directory. */
export function createLocalHost(): Host {
  return {
    name: "local",
    async spawn(command, { runDir }) {
      checkDirectory(command.cwd);
      const files = runFilesIn(runDir);
      await prepare(runDir, files);
      const { program, watch } = await spawnProgram(command, files);
      return new LocalProcess(program, files, watch);
    },
    async attach(runDir) {
      const files = runFilesIn(runDir);
      const program = await findProgram(files.record);
      return program && new LocalProcess(program, files, watchStranger(program.identity));
    },
  };
}

/** What a spawn that came to nothing has left is cleared away; a recording never is. */
async function prepare(runDir: string, files: RunFiles): Promise<void> {
  if (await findProgram(files.record))
    throw new HalyardError(
      "start_failed",
      `${runDir} holds the recording of another program. Attach to that one, or remove the directory.`,
    );
  try {
    removeRunFiles(files);
    await createRunFiles(runDir, files);
  } catch (error) {
    throw explainRunDir(error, runDir);
  }
}
