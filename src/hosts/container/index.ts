import { dirname } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { Host, HostedSession, SessionHost } from "../../core/host.ts";
import type { Engines } from "./engines.ts";
import { type Place, placeOf, placesIn } from "./place.ts";

/**
 * Processes in containers, which outlive us and are found again by their run directory. Who has none of them loads no
 * more than this.
 */
export function createContainerHost(options: { engines: Engines; home: string }): Host {
  const { engines, home } = options;
  return {
    name: "container",
    async attach(runDir) {
      const { attachInContainer } = await import("./attach.ts");
      return attachInContainer(engines, runDir);
    },
    async spawn(_, { runDir }) {
      throw new HalyardError("internal", `which container ${runDir} belongs to was not said`);
    },
    async processes() {
      const { findOwned } = await import("./owned-processes.ts");
      return findOwned(engines, home);
    },
    async end(process) {
      const { endOwned } = await import("./owned-processes.ts");
      return endOwned(engines, home, process);
    },
    async forSession(session) {
      const [{ createHostAt }, { routeTo }, { preparePlace, requireApart }, { ownerOf }] =
        await Promise.all([
          import("./host-at.ts"),
          import("./model-route.ts"),
          import("./prepare-place.ts"),
          import("./user.ts"),
        ]);
      const place = placeOf(home, session);
      const { containerId } = place.options;
      if (containerId !== undefined) return inExisting(engines, place, containerId, session);
      requireApart(home, place.workspace);
      preparePlace(place, ownerOf(place));
      const { network } = place.options;
      const route = routeTo(session.model, { network });
      return { host: createHostAt(engines, place, route), model: route?.model ?? session.model };
    },
  };
}

async function inExisting(
  engines: Engines,
  place: Place,
  containerId: string,
  session: HostedSession,
): Promise<SessionHost> {
  const [{ createHostIn, findExisting, insidePath }, { routeTo }, { preparePlace }] =
    await Promise.all([
      import("./existing/host-in.ts"),
      import("./model-route.ts"),
      import("./prepare-place.ts"),
    ]);
  preparePlace(place);
  const route = routeTo(session.model, { network: undefined });
  const container = await findExisting(await engines.chosen(), containerId);
  return {
    host: createHostIn(engines, place, containerId, route),
    model: route?.model ?? session.model,
    cwd: insidePath(container, session.cwd),
  };
}

/** Where a session in a container keeps its directories: beside those that share the container, and apart from all others. */
export function containerDirectories(
  home: string,
  session: Parameters<typeof placeOf>[1] & { readonly id: string },
): { run: string; state: string } {
  const { directory } = placeOf(home, session);
  return { run: `${directory}/run/${session.id}`, state: `${directory}/sessions/${session.id}` };
}

/** Whether a run directory is one of those. */
export function isContainerRun(home: string, runDir: string): boolean {
  const runs = dirname(runDir);
  return runs.endsWith("/run") && dirname(dirname(runs)) === placesIn(home);
}
