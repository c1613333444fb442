import { join } from "node:path";
import type { Host } from "../../core/host.ts";
import type { ExitWatch } from "../recording/exit-watch.ts";
import { makeFifo } from "../recording/fifo.ts";
import { checkDirectory, occupied, prepareRunFiles } from "../recording/prepare.ts";
import { RecordedProcess } from "../recording/recorded-process.ts";
import { type RunFiles, runFilesIn } from "../recording/run-files.ts";
import { watchStranger } from "./exit-watch.ts";
import { endOwned, findOwned } from "./owned-processes.ts";
import { readEnvironment } from "./proc.ts";
import { isSameProcess } from "./process-identity.ts";
import { findProgram, type Program } from "./process-record.ts";
import { hasProc } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";
import { spawnProgram } from "./spawn.ts";
import { terminateTree } from "./terminate.ts";
import { readWaitedMs } from "./waited.ts";

export interface LocalHostOptions {
  /** Where a FIFO is kept ready for the next program; on the file system of the run directories. */
  readonly directory?: string;
}

/** Processes of this machine, which outlive us and are found again by their run directory. */
export function createLocalHost({ directory }: LocalHostOptions = {}): Host {
  const spareFifo = directory && join(directory, "next-stdin");
  return {
    name: "local",
    async spawn(command, { runDir }) {
      checkDirectory(command.cwd);
      const files = runFilesIn(runDir);
      if (await findProgram(files.record)) throw occupied(runDir);
      await prepareRunFiles(runDir, files, spareFifo);
      const { program, watch } = await spawnProgram(command, files);
      const nextFifo = spareFifo ? makeFifo(spareFifo).catch(() => {}) : undefined; // there may be one already
      return hold(program, files, watch, nextFifo);
    },
    async attach(runDir) {
      const files = runFilesIn(runDir);
      const program = await findProgram(files.record);
      return program && hold(program, files, watchStranger(program.identity));
    },
    processes: findOwned,
    end: endOwned,
    environment: async (identity) =>
      hasProc && isSameProcess(identity) === "alive" ? readEnvironment(identity.pid) : {},
  };
}

/** Whatever is done for it meanwhile is done when it has ended. */
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
    health: async () => isSameProcess(identity),
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
