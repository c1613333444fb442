import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../contracts/host.ts";
import { hasProc } from "../../programs/platform.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { makeFifo } from "../recording/fifo.ts";
import { checkDirectory, prepareRunFiles, runDirInUse } from "../recording/prepare.ts";
import { RecordedProcess } from "../recording/recorded-process.ts";
import { type RunFiles, runFilesIn } from "../recording/run-files.ts";
import { watchForeignProcess } from "./exit-watch.ts";
import { endOwned, findOwned } from "./owned-processes.ts";
import { readEnvironment } from "./proc.ts";
import { healthOfProcess } from "./process-identity.ts";
import { findProgram, type Program } from "./process-record.ts";
import { ProcessTree } from "./process-tree.ts";
import { spawnProgram } from "./spawn.ts";
import { terminateTree } from "./terminate.ts";
import { readWaitedMs } from "./waited.ts";

export interface LocalHostOptions {
  /**
   * The directory for the FIFO that is prepared for the next program. Must be on the same file system as the run
   * directories. If omitted, no FIFO is prepared in advance.
   */
  readonly directory?: string;
}

/**
 * Creates the host for processes on this machine. The processes keep running after this process exits and are found by
 * their run directory.
 */
export function createLocalHost({ directory }: LocalHostOptions = {}): Host {
  const spareFifo = directory && join(directory, "next-stdin");
  return {
    name: "local",
    async spawn(command, { runDir }) {
      checkDirectory(command.cwd);
      const files = runFilesIn(runDir);
      if (await findProgram(files.record)) throw runDirInUse(runDir);
      await prepareRunFiles(runDir, files, spareFifo);
      const { program, watch } = await spawnProgram(command, files);
      const hasNone = spareFifo !== undefined && !existsSync(spareFifo);
      const nextFifo = hasNone ? makeFifo(spareFifo).catch(() => {}) : undefined; // fails if another start created it
      return hold(program, files, watch, nextFifo);
    },
    async attach(runDir) {
      const files = runFilesIn(runDir);
      const program = await findProgram(files.record);
      return program && hold(program, files, watchForeignProcess(program.identity));
    },
    processes: findOwned,
    end: endOwned,
    environment: async (identity) =>
      hasProc && healthOfProcess(identity) === "alive" ? readEnvironment(identity.pid) : {},
  };
}

/** Returns a program's handle. Termination also waits for `meanwhile`. */
function hold(
  { identity, marker }: Program,
  files: RunFiles,
  watch: ExitWatch,
  meanwhile?: Promise<void>,
): RecordedProcess {
  const tree = new ProcessTree(identity, marker);
  return new RecordedProcess({
    identity,
    files,
    watch,
    health: async () => healthOfProcess(identity),
    async waitedMs() {
      const waits = (await tree.find()).map(({ pid }) => readWaitedMs(pid));
      return waits.reduce((sum, wait) => sum + wait, 0);
    },
    async end(signals) {
      await terminateTree(tree, signals);
      await meanwhile;
    },
  });
}
