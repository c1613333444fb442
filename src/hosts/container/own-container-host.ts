import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ContainerInfo } from "../../contracts/container-engine.ts";
import type { Command, Host } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { listInWords } from "../../errors/list-in-words.ts";
import { isWithin } from "../../files/is-within.ts";
import { PATH_ELSEWHERE } from "../../programs/program.ts";
import { withLock } from "../recording/lock.ts";
import { checkDirectory, prepareRunFiles, runDirInUse } from "../recording/prepare.ts";
import { removeRunFiles, runFilesIn } from "../recording/run-files.ts";
import { attachInContainer, holdProgram } from "./attach.ts";
import { ensureContainer, releaseContainer } from "./container.ts";
import { type ContainerPlan, containerPaths } from "./container-paths.ts";
import type { Engines } from "./engines/engines.ts";
import type { ModelRoute } from "./network/model-route.ts";
import { reachInside } from "./network/reach.ts";
import { openRoute } from "./network/routes.ts";
import { giveToContainerUser, prepareContainerPaths } from "./prepare-paths.ts";
import { spawnInContainer } from "./spawn.ts";
import { containerName, memoryMbOf } from "./spec.ts";
import { userFor } from "./user.ts";

/** Creates the host for one of Halyard's own containers. The container is created when its first program starts. */
export function createOwnContainerHost(
  engines: Engines,
  plan: ContainerPlan,
  route?: ModelRoute,
): Host {
  const attach = (runDir: string) => attachInContainer(engines, runDir, plan.directory);
  return {
    name: "container",
    attach,
    async reach(url) {
      const engine = await engines.chosen();
      const { shared } = containerPaths(plan.directory);
      return reachInside(url, { engine, container: containerName(plan), shared });
    },
    async requireResponsive() {
      // the recording can be read even if no engine responds
      const engine = await engines.chosen().catch(() => undefined);
      const name = containerName(plan);
      if ((await engine?.status(name).catch(() => undefined)) !== "paused") return;
      throw new HalyardError(
        "host_unavailable",
        `The container ${name} is paused, so the agent cannot respond. Run "${engine?.name} unpause ${name}".`,
      );
    },
    async spawn(command, { runDir }) {
      const { directory, workspace } = plan;
      checkDirectory(command.cwd);
      requireInside(command.cwd, [workspace, directory]);
      requireInside(runDir, [directory]);
      const engine = await engines.chosen();
      const user = userFor(workspace, plan.options.user);
      const files = runFilesIn(runDir);
      const before = await attach(runDir);
      await before?.detach();
      if (before) throw runDirInUse(runDir);
      prepareContainerPaths(plan, user);
      await prepareRunFiles(runDir, files);
      for (const file of [files.stdout, files.stderr])
        writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      return withLock(directory, async () => {
        let container: ContainerInfo | undefined;
        try {
          container = await ensureContainer(engine, plan, user);
          await giveToContainerUser(runDir, user);
          if (route) await openRoute(route, engine, container, { directory, user });
          const memoryMb = memoryMbOf(plan);
          const where = { engine, container, directory, runDir, files, memoryMb };
          const started = await spawnInContainer(withOwnPath(command), where);
          return holdProgram({ engine, files, ...started }, started.watch);
        } catch (error) {
          removeRunFiles(files);
          if (container) await releaseContainer(engine, container.id, directory);
          throw error;
        }
      });
    },
  };
}

/** Removes the placeholder PATH, so that the image's PATH is used. */
function withOwnPath(command: Command): Command {
  const { PATH, ...env } = command.env;
  return PATH === PATH_ELSEWHERE ? { ...command, env } : command;
}

function requireInside(path: string, directories: readonly string[]): void {
  if (directories.some((directory) => isWithin(resolve(path), resolve(directory)))) return;
  throw new HalyardError(
    "start_failed",
    `The container cannot access ${path}. Choose ${listInWords(directories, "or")}, or a directory inside it.`,
  );
}
