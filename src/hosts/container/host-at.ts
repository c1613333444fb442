import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { ContainerInfo } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import type { Command, Host } from "../../core/host.ts";
import { PATH_ELSEWHERE } from "../../core/program.ts";
import { withLock } from "../recording/lock.ts";
import { checkDirectory, occupied, prepareRunFiles } from "../recording/prepare.ts";
import { removeRunFiles, runFilesIn } from "../recording/run-files.ts";
import { attachInContainer, holdProgram } from "./attach.ts";
import { ensureContainer, releaseContainer } from "./container.ts";
import type { Engines } from "./engines.ts";
import type { ModelRoute } from "./model-route.ts";
import { type Place, placePaths } from "./place.ts";
import { handOver, preparePlace } from "./prepare-place.ts";
import { reachInside } from "./reach.ts";
import { openRoute } from "./routes.ts";
import { spawnInContainer } from "./spawn.ts";
import { containerName, memoryMbOf } from "./spec.ts";
import { userFor } from "./user.ts";

/** The host of one container, which is there when the first program is started in it. */
export function createHostAt(engines: Engines, place: Place, route?: ModelRoute): Host {
  const attach = (runDir: string) => attachInContainer(engines, runDir);
  return {
    name: "container",
    attach,
    async reach(url) {
      const engine = await engines.chosen();
      const { shared } = placePaths(place.directory);
      return reachInside(url, { engine, container: containerName(place), shared });
    },
    async requireResponsive() {
      const engine = await engines.chosen().catch(() => undefined); // its pipes work without it
      const name = containerName(place);
      if ((await engine?.status(name).catch(() => undefined)) !== "paused") return;
      throw new HalyardError(
        "host_unavailable",
        `The container ${name} is paused, and so is the agent. Run "${engine?.name} unpause ${name}".`,
      );
    },
    async spawn(command, { runDir }) {
      const { directory, workspace } = place;
      checkDirectory(command.cwd);
      requireInside(command.cwd, [workspace, directory]);
      requireInside(runDir, [directory]);
      const engine = await engines.chosen();
      const user = userFor(workspace, place.options.user);
      const files = runFilesIn(runDir);
      const before = await attach(runDir);
      await before?.detach();
      if (before) throw occupied(runDir);
      preparePlace(place, user);
      await prepareRunFiles(runDir, files);
      for (const file of [files.stdout, files.stderr])
        writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      return withLock(directory, async () => {
        let container: ContainerInfo | undefined;
        try {
          container = await ensureContainer(engine, place, user);
          await handOver(runDir, user);
          if (route) await openRoute(route, engine, container, { directory, user });
          const memoryMb = memoryMbOf(place);
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

/** The PATH there is the image's. */
function withOwnPath(command: Command): Command {
  const { PATH, ...env } = command.env;
  return PATH === PATH_ELSEWHERE ? { ...command, env } : command;
}

function requireInside(path: string, directories: readonly string[]): void {
  if (directories.some((directory) => !relative(directory, path).startsWith(".."))) return;
  throw new HalyardError(
    "start_failed",
    `${path} cannot be seen from the container, which has ${directories.join(" and ")} only.`,
  );
}
