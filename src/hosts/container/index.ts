import { dirname } from "node:path";
import type { Host, HostedSession, SessionHost } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { type ContainerPlan, containersIn, planContainer } from "./container-paths.ts";
import type { Engines } from "./engines/engines.ts";

/**
 * Creates the host for processes in containers. The processes keep running after this process exits and are found by
 * their run directory. Only a host that `forSession` returns can start a process. The host's modules are loaded on
 * first use.
 */
export function createContainerHost(options: { engines: Engines; home: string }): Host {
  const { engines, home } = options;
  return {
    name: "container",
    async attach(runDir) {
      const { attachInContainer } = await import("./attach.ts");
      return attachInContainer(engines, runDir, dirname(dirname(runDir)));
    },
    async spawn(_, { runDir }) {
      throw new HalyardError(
        "internal",
        `The run directory ${runDir} belongs to no session with a container. Call "forSession", and spawn the program on the host that it returns.`,
      );
    },
    async processes() {
      const { findOwned } = await import("./processes/owned-processes.ts");
      return findOwned(engines, home);
    },
    async end(process) {
      const { endOwned } = await import("./processes/owned-processes.ts");
      return endOwned(engines, home, process);
    },
    async forSession(session) {
      const [
        { createOwnContainerHost },
        { routeTo },
        { prepareContainerPaths, requireSeparateWorkspace },
        { ownerOf },
      ] = await Promise.all([
        import("./own-container-host.ts"),
        import("./network/model-route.ts"),
        import("./prepare-paths.ts"),
        import("./user.ts"),
      ]);
      const plan = planContainer(home, session);
      const { containerId } = plan.options;
      if (containerId !== undefined) return inExisting(engines, plan, containerId, session);
      requireSeparateWorkspace(home, plan.workspace);
      prepareContainerPaths(plan, ownerOf(plan));
      const { network } = plan.options;
      const route = routeTo(session.model, { network });
      return {
        host: createOwnContainerHost(engines, plan, route),
        model: route?.model ?? session.model,
      };
    },
  };
}

async function inExisting(
  engines: Engines,
  plan: ContainerPlan,
  containerId: string,
  session: HostedSession,
): Promise<SessionHost> {
  const [
    { createExistingContainerHost, findExisting, insidePath },
    { routeTo },
    { prepareContainerPaths },
  ] = await Promise.all([
    import("./existing/existing-container-host.ts"),
    import("./network/model-route.ts"),
    import("./prepare-paths.ts"),
  ]);
  prepareContainerPaths(plan);
  const route = routeTo(session.model, { network: undefined });
  const container = await findExisting(await engines.chosen(), containerId);
  return {
    host: createExistingContainerHost(engines, plan, containerId, route),
    model: route?.model ?? session.model,
    cwd: insidePath(container, session.cwd),
  };
}

/**
 * Returns the run directory and the state directory of a session in a container. Both are in the container directory.
 */
export function containerDirectories(
  home: string,
  session: Parameters<typeof planContainer>[1] & { readonly id: string },
): { run: string; state: string } {
  const { directory } = planContainer(home, session);
  return { run: `${directory}/run/${session.id}`, state: `${directory}/sessions/${session.id}` };
}

/** True if a run directory belongs to a container of this home. */
export function isContainerRun(home: string, runDir: string): boolean {
  const runs = dirname(runDir);
  return runs.endsWith("/run") && dirname(dirname(runs)) === containersIn(home);
}
