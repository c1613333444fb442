import { writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { ContainerInfo, ContainerRuntime } from "../../../containers/container-runtime.ts";
import { HalyardError, reasonOf } from "../../../core/error.ts";
import type { Command, Host } from "../../../core/host.ts";
import { PATH_ELSEWHERE } from "../../../core/program.ts";
import { withLock } from "../../recording/lock.ts";
import { MARKER, toMark } from "../../recording/mark.ts";
import { occupied, prepareRunFiles } from "../../recording/prepare.ts";
import { type RunFiles, removeRunFiles, runFilesIn } from "../../recording/run-files.ts";
import { attachInContainer, holdProgram } from "../attach.ts";
import { releaseExisting } from "../container.ts";
import type { Engines } from "../engines.ts";
import { watchHealth } from "../exit-watch.ts";
import type { ModelRoute } from "../model-route.ts";
import type { Place } from "../place.ts";
import { preparePlace } from "../prepare-place.ts";
import { ContainerProgram } from "../program.ts";
import { newContainerRecord, type StartedRecord, writeContainerRecord } from "../record.ts";
import { launch, shell } from "../scripts.ts";
import { readStarted, umaskHere } from "../spawn.ts";
import { explainExec } from "../start-failure.ts";
import type { ContainerUser } from "../user.ts";
import { copyIn } from "./copy-in.ts";
import { execOrder, startKept } from "./keeper.ts";
import { openExistingRoute, reachExisting } from "./route.ts";

/**
 * The host in a container that already runs and is not Halyard's. It shares no directory with this machine that Halyard
 * could count on, so files are copied in and everything else goes through the engine.
 */
export function createHostIn(
  engines: Engines,
  place: Place,
  containerId: string,
  route?: ModelRoute,
): Host {
  const attach = (runDir: string) => attachInContainer(engines, runDir);
  return {
    name: "container",
    hasOwnFiles: true,
    attach,
    reach: async (url) => reachExisting(url, await engines.chosen(), containerId),
    async requireResponsive() {
      const engine = await engines.chosen().catch(() => undefined);
      if ((await engine?.status(containerId).catch(() => undefined)) !== "paused") return;
      const message = `The container ${containerId} is paused, and so is the agent. Run "${engine?.name} unpause ${containerId}".`;
      throw new HalyardError("host_unavailable", message);
    },
    async spawn(command, { runDir }) {
      const engine = await engines.chosen();
      const container = await findExisting(engine, containerId);
      const files = runFilesIn(runDir);
      const before = await attach(runDir);
      await before?.detach();
      if (before) throw occupied(runDir);
      preparePlace(place);
      await prepareRunFiles(runDir, files);
      for (const file of [files.stdout, files.stderr])
        writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      const { directory } = place;
      return withLock(directory, async () => {
        try {
          const user = await userIn(engine, container.id, place.options.user);
          const paths = [relative(directory, runDir), join("sessions", basename(runDir))];
          if (basename(runDir).startsWith("opencode-")) paths.push("sessions/opencode");
          await copyIn({ engine, container: container.id, directory, paths, user });
          if (route) await openExistingRoute(route, engine, container, directory);
          const record = await start(command, {
            engine,
            container,
            directory,
            runDir,
            files,
            place,
          });
          const program = new ContainerProgram(engine, record);
          return holdProgram({ engine, record, program, files }, watchHealth(program));
        } catch (error) {
          removeRunFiles(files);
          await releaseExisting(engine, container.id, directory);
          throw error;
        }
      });
    },
  };
}

/** Rejects with what to do if the container does not run. */
export async function findExisting(engine: ContainerRuntime, id: string): Promise<ContainerInfo> {
  const found = await engine.inspect(id);
  if (found?.status === "running") return found;
  const state = found === undefined ? "does not exist" : `is ${found.status}`;
  const cure =
    found === undefined
      ? `Run "${engine.name} ps" to list containers`
      : found.status === "paused"
        ? `Run "${engine.name} unpause ${id}"`
        : `Run "${engine.name} start ${id}"`;
  throw new HalyardError(
    "start_failed",
    `The container ${id} ${state} on ${engine.name}. ${cure}.`,
  );
}

/** The path of a directory of this machine in a container that has it mounted; the same path if it has not. */
export function insidePath({ mounts = [] }: ContainerInfo, path: string): string {
  const holding = mounts.filter(({ source }) => !relative(source, path).startsWith(".."));
  const [nearest] = holding.sort((one, other) => other.source.length - one.source.length);
  return nearest ? join(nearest.target, relative(nearest.source, path)) : path;
}

/** The ids of the user that programs run as there. */
async function userIn(
  engine: ContainerRuntime,
  container: string,
  asked: string | undefined,
): Promise<ContainerUser> {
  const { stdout } = await engine.exec(container, {
    args: ["/bin/sh", "-c", "grep -E '^(Uid|Gid):' /proc/self/status"],
    ...(asked !== undefined && { user: asked }),
  });
  const [uid, gid] = ["Uid", "Gid"].map(
    (name) => new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(stdout)?.[1],
  );
  return { uid: Number(uid ?? 0), gid: Number(gid ?? 0) };
}

interface Where {
  readonly engine: ContainerRuntime;
  readonly container: ContainerInfo;
  readonly directory: string;
  readonly runDir: string;
  readonly files: RunFiles;
  readonly place: Place;
}

async function start(command: Command, where: Where): Promise<StartedRecord> {
  const { engine, container, directory, runDir, files, place } = where;
  const { file, args, cwd } = command;
  const { PATH, ...rest } = command.env;
  const env = PATH === PATH_ELSEWHERE ? rest : command.env;
  const early = newContainerRecord(engine, container, { directory, file, isExisting: true });
  writeContainerRecord(files.record, early);
  const order = execOrder(engine, container.id, {
    args: shell(launch, "", "", umaskHere(), "", file, ...args),
    env: { ...env, [MARKER]: toMark({ marker: early.marker, runDir }) },
    cwd,
    ...(place.options.user !== undefined && { user: place.options.user }),
  });
  try {
    const { exec, line } = await startKept(order, files);
    const started = readStarted(line, file, container.image);
    if (started === undefined) throw new Error(line);
    const record = { ...early, started: { pid: started.pid, startTime: started.startTime, exec } };
    writeContainerRecord(files.record, record);
    return record;
  } catch (error) {
    if (error instanceof HalyardError) throw error;
    throw explainExec(reasonOf(error), file, container.image);
  }
}
