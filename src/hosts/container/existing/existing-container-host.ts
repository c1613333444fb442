import { writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import type { ContainerEngine, ContainerInfo } from "../../../contracts/container-engine.ts";
import type { Command, Host } from "../../../contracts/host.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { isWithin } from "../../../files/is-within.ts";
import { PATH_ELSEWHERE } from "../../../programs/program.ts";
import { withLock } from "../../recording/lock.ts";
import { MARKER, toMark } from "../../recording/mark.ts";
import { prepareRunFiles, runDirInUse } from "../../recording/prepare.ts";
import { type RunFiles, removeRunFiles, runFilesIn } from "../../recording/run-files.ts";
import { attachInContainer, holdProgram } from "../attach.ts";
import { releaseExisting } from "../container.ts";
import type { ContainerPlan } from "../container-paths.ts";
import type { Engines } from "../engines/engines.ts";
import type { ModelRoute } from "../network/model-route.ts";
import { prepareContainerPaths } from "../prepare-paths.ts";
import { watchHealth } from "../processes/exit-watch.ts";
import { ContainerProgram } from "../processes/program.ts";
import { newContainerRecord, type StartedRecord, writeContainerRecord } from "../record.ts";
import { launch, shell } from "../scripts.ts";
import { currentUmask, readStarted } from "../spawn.ts";
import { explainExec } from "../start-failure.ts";
import type { ContainerUser } from "../user.ts";
import { copyIn } from "./copy-in.ts";
import { execRequest, startRecordedExec } from "./exec-recorder.ts";
import { openExistingRoute, reachExisting } from "./route.ts";

/**
 * Creates the host for a running container that Halyard did not create. Such a container may have no directory in common
 * with this machine. Therefore, Halyard copies files into the container and communicates only through the engine.
 */
export function createExistingContainerHost(
  engines: Engines,
  plan: ContainerPlan,
  containerId: string,
  route?: ModelRoute,
): Host {
  const attach = (runDir: string) => attachInContainer(engines, runDir, plan.directory);
  return {
    name: "container",
    hasOwnFiles: true,
    attach,
    reach: async (url) => reachExisting(url, await engines.chosen(), containerId),
    async requireResponsive() {
      const engine = await engines.chosen().catch(() => undefined);
      if ((await engine?.status(containerId).catch(() => undefined)) !== "paused") return;
      const message = `The container ${containerId} is paused, so the agent cannot respond. Run "${engine?.name} unpause ${containerId}".`;
      throw new HalyardError("host_unavailable", message);
    },
    async spawn(command, { runDir }) {
      const engine = await engines.chosen();
      const container = await findExisting(engine, containerId);
      const files = runFilesIn(runDir);
      const before = await attach(runDir);
      await before?.detach();
      if (before) throw runDirInUse(runDir);
      prepareContainerPaths(plan);
      await prepareRunFiles(runDir, files);
      for (const file of [files.stdout, files.stderr])
        writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      const { directory } = plan;
      return withLock(directory, async () => {
        try {
          const user = await userIn(engine, container.id, plan.options.user);
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
            plan,
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

/** Returns the container. If it is not running, rejects with an error that states what to do. */
export async function findExisting(engine: ContainerEngine, id: string): Promise<ContainerInfo> {
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

/**
 * Maps a directory on this machine to its path inside a container. Returns the same path if the directory is not
 * mounted.
 */
export function insidePath({ mounts = [] }: ContainerInfo, path: string): string {
  const holding = mounts.filter(({ source }) => isWithin(resolve(path), resolve(source)));
  const [nearest] = holding.sort((one, other) => other.source.length - one.source.length);
  return nearest ? join(nearest.target, relative(nearest.source, path)) : path;
}

/**
 * Returns the ids of the user that programs in the container run as: the configured user, or the container's default
 * user.
 */
async function userIn(
  engine: ContainerEngine,
  container: string,
  configured: string | undefined,
): Promise<ContainerUser> {
  const { stdout } = await engine.exec(container, {
    args: ["/bin/sh", "-c", "grep -E '^(Uid|Gid):' /proc/self/status"],
    ...(configured !== undefined && { user: configured }),
  });
  const [uid, gid] = ["Uid", "Gid"].map(
    (name) => new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(stdout)?.[1],
  );
  return { uid: Number(uid ?? 0), gid: Number(gid ?? 0) };
}

interface Where {
  readonly engine: ContainerEngine;
  readonly container: ContainerInfo;
  readonly directory: string;
  readonly runDir: string;
  readonly files: RunFiles;
  readonly plan: ContainerPlan;
}

async function start(command: Command, where: Where): Promise<StartedRecord> {
  const { engine, container, directory, runDir, files, plan } = where;
  const { file, args, cwd } = command;
  const { PATH, ...rest } = command.env;
  const env = PATH === PATH_ELSEWHERE ? rest : command.env;
  const early = newContainerRecord(engine, container, { directory, file, isExisting: true });
  writeContainerRecord(files.record, early);
  const order = execRequest(engine, container.id, {
    args: shell(launch, "", "", currentUmask(), "", file, ...args),
    env: { ...env, [MARKER]: toMark({ marker: early.marker, runDir }) },
    cwd,
    ...(plan.options.user !== undefined && { user: plan.options.user }),
  });
  try {
    const { exec, line } = await startRecordedExec(order, files);
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
