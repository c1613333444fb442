import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerEngine, ContainerInfo } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import { containerPaths, INSIDE } from "../container-paths.ts";
import type { ContainerUser } from "../user.ts";
import { firstLine } from "./first-line.ts";
import { type ModelRoute, ROUTE_PORT } from "./model-route.ts";
import { forwarderSource, proxySource } from "./route-sources.ts";

/** Opens a route to a model unless it is already open. The caller must hold the lock of the container's directory. */
export async function openRoute(
  route: ModelRoute,
  engine: ContainerEngine,
  container: ContainerInfo,
  { directory, user }: { directory: string; user: ContainerUser },
): Promise<void> {
  const { routes } = containerPaths(directory);
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
  const stderr = text(exec.stderr).catch(() => "");
  if ((await firstLine(exec.stdout)) !== "ready") {
    const reason = (await stderr).trim() || "the forwarder exited without output";
    throw new HalyardError(
      "start_failed",
      `Cannot open the route to the model in the container: ${reason}. Check that the image ${container.image} contains Node.js.`,
    );
  }
  writeFileSync(note, JSON.stringify({ exec: exec.id, startedAt: container.startedAt }), {
    mode: 0o600,
  });
  exec.close();
}

/**
 * Closes all of a container's routes. The forwarders inside the container exit when the container stops. Deleting files
 * by name is safe, because the agent cannot write to these directories.
 */
export function closeRoutes(directory: string): void {
  for (const path of [directory, containerPaths(directory).routes])
    for (const name of entriesIn(path))
      if (/\.(sock|route)$/.test(name)) rmSync(join(path, name), { force: true });
}

function entriesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // the directory does not exist if no route was opened
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
 * Starts a helper process that keeps running after this process exits. Its parameters contain a key, so they are passed
 * through a pipe instead of a file or the environment.
 */
export async function startDetached(source: string, order: unknown): Promise<void> {
  const proxy = spawn(process.execPath, ["--input-type=module", "-e", source], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    cwd: "/",
    env: {},
  });
  const stderr = text(proxy.stderr).catch(() => ""); // read only if the start fails
  proxy.once("error", () => {}); // ignored, because the output then ends without a line, which is handled below
  proxy.stdin.end(JSON.stringify(order));
  if ((await firstLine(proxy.stdout)) !== "ready") {
    const errorText = await stderr;
    const reason = errorText.split("\n").find((line) => line.includes("Error")) ?? errorText.trim();
    throw new HalyardError(
      "start_failed",
      `Could not start the proxy to the model: ${reason}. Check the permissions of Halyard's home.`,
    );
  }
  proxy.stdout.destroy();
  proxy.stderr.destroy();
  proxy.unref();
}

async function isForwarded(
  engine: ContainerEngine,
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
