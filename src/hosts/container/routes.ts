import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerInfo, ContainerRuntime } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { firstLine } from "./first-line.ts";
import { type ModelRoute, ROUTE_PORT } from "./model-route.ts";
import { INSIDE, placePaths } from "./place.ts";
import { forwarderSource, proxySource } from "./route-sources.ts";
import type { ContainerUser } from "./user.ts";

/** Opens the way to a model, or finds it open. To be called with the lock of the container's place. */
export async function openRoute(
  route: ModelRoute,
  engine: ContainerRuntime,
  container: ContainerInfo,
  { directory, user }: { directory: string; user: ContainerUser },
): Promise<void> {
  const { routes } = placePaths(directory);
  const name = `${route.name}.sock`;
  if (!(await answers(routes, name))) await startProxy(route, { directory: routes, name, user });
  const note = join(directory, `${route.name}.route`);
  if (await isForwarded(engine, container, note)) return;
  const exec = await engine.execInteractive(container.id, {
    args: [
      "node",
      "-e",
      forwarderSource,
      `${INSIDE.routes}/${name}`,
      route.address,
      String(ROUTE_PORT),
    ],
  });
  const complaint = text(exec.stderr).catch(() => "");
  if ((await firstLine(exec.stdout)) !== "ready")
    throw new HalyardError(
      "start_failed",
      `The way to the model could not be opened in the container (does its image ${container.image} have node?): ` +
        `${(await complaint).trim()}`,
    );
  writeFileSync(note, JSON.stringify({ exec: exec.id, startedAt: container.startedAt }), {
    mode: 0o600,
  });
  exec.close();
}

/** Closes all ways out of a container, whose own ends are gone with it. The agent can write neither of these directories. */
export function closeRoutes(directory: string): void {
  for (const path of [directory, placePaths(directory).routes])
    for (const name of entriesIn(path))
      if (/\.(sock|route)$/.test(name)) rmSync(join(path, name), { force: true });
}

function entriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // nothing was ever kept there
  }
}

async function answers(directory: string, name: string): Promise<boolean> {
  const fd = openSync(directory, "r");
  try {
    return await new Promise((resolve) => {
      const probe = connect(`/proc/self/fd/${fd}/${name}`, () => {
        probe.destroy();
        resolve(true);
      });
      probe.once("error", () => resolve(false));
    });
  } finally {
    closeSync(fd);
  }
}

async function startProxy(
  { target, headers }: ModelRoute,
  { directory, name, user }: { directory: string; name: string; user: ContainerUser },
): Promise<void> {
  rmSync(join(directory, name), { force: true });
  const owner = process.getuid?.() === 0 ? user : undefined;
  await startDetached(proxySource, { directory, name, target, headers, owner });
}

/**
 * Starts a program of ours that goes on without us. Its order goes in by a pipe, because it holds a key: it stands neither
 * in a file nor in the environment.
 */
export async function startDetached(source: string, order: unknown): Promise<void> {
  const proxy = spawn(process.execPath, ["--input-type=module", "-e", source], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    cwd: "/",
    env: {},
  });
  const complaint = text(proxy.stderr).catch(() => ""); // once it is well, nobody listens any more
  proxy.once("error", () => {}); // then it says nothing, and that is told
  proxy.stdin.end(JSON.stringify(order));
  if ((await firstLine(proxy.stdout)) !== "ready") {
    const said = await complaint;
    const reason = said.split("\n").find((line) => line.includes("Error")) ?? said.trim();
    throw new HalyardError(
      "start_failed",
      `The proxy to the model could not be started. ${reason}`,
    );
  }
  proxy.stdout.destroy();
  proxy.stderr.destroy();
  proxy.unref();
}

async function isForwarded(
  engine: ContainerRuntime,
  { startedAt }: ContainerInfo,
  note: string,
): Promise<boolean> {
  try {
    const known = JSON.parse(readFileSync(note, "utf8"));
    return known.startedAt === startedAt && (await engine.execIsRunning(known.exec)) === true;
  } catch {
    return false;
  }
}
