import { spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { ContainerEngine, ContainerInfo } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import { firstLine } from "../network/first-line.ts";
import { type ModelRoute, ROUTE_PORT } from "../network/model-route.ts";
import { unreachableInside } from "../network/reach.ts";
import { proxyServerSource } from "../network/route-sources.ts";
import { startDetached } from "../network/routes.ts";
import { execRequest } from "./exec-recorder.ts";
import {
  insideAcceptSource,
  insideConnectSource,
  portForwarderSource,
  routeSource,
} from "./sources.ts";

/**
 * Opens a route to a model through the engine, unless it is already open. The caller must hold the directory's lock.
 */
export async function openExistingRoute(
  { name, address, target, headers }: ModelRoute,
  engine: ContainerEngine,
  container: ContainerInfo,
  directory: string,
): Promise<void> {
  const file = join(directory, `${name}-${container.id.slice(0, 12)}.route`);
  const args = ["node", "-e", insideAcceptSource, address, String(ROUTE_PORT)] as const;
  if (await answers(engine, container.id, address)) {
    if (existsSync(file) || !(await closes(engine, container.id, address))) return;
  }
  writeFileSync(file, "", { mode: 0o600 });
  const order = execRequest(engine, container.id, { args: [...args] });
  try {
    await startDetached(routeSource(proxyServerSource), { ...order, target, headers, file });
  } catch (cause) {
    rmSync(file, { force: true });
    const message = `Cannot open the route to the model in container ${container.name}. Check that Node.js is installed in the container.`;
    throw new HalyardError("start_failed", message, { cause });
  }
}

/**
 * Waits up to 1.5 s for a route without a marker file to close. Returns true if it closes. The route of a session that
 * has just ended closes; another Halyard instance's route stays open.
 */
async function closes(
  engine: ContainerEngine,
  container: string,
  address: string,
): Promise<boolean> {
  const deadline = performance.now() + CLOSING_MS;
  while (performance.now() < deadline) {
    await setTimeout(LOOK_EVERY_MS);
    if (!(await answers(engine, container, address))) return true;
  }
  return false;
}

/** The maximum time for a route to close after its file is removed, in milliseconds. */
const CLOSING_MS = 1_500;
const LOOK_EVERY_MS = 50;

async function answers(
  engine: ContainerEngine,
  container: string,
  address: string,
): Promise<boolean> {
  const probe = `require("node:net").connect(${ROUTE_PORT}, "${address}", () => process.exit(0)).on("error", () => process.exit(1))`;
  return (await engine.exec(container, { args: ["node", "-e", probe] })).code === 0;
}

/** Returns a local URL for a server in the container. Valid until this process exits. */
export async function reachExisting(
  url: string,
  engine: ContainerEngine,
  container: string,
): Promise<string> {
  const { port } = new URL(url);
  const order = execRequest(engine, container, { args: ["node", "-e", insideConnectSource, port] });
  const forwarder = spawn(process.execPath, ["--input-type=module", "-e", portForwarderSource], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "pipe"],
  });
  forwarder.once("error", () => {}); // ignored, because the output then ends without a line, which is handled below
  const stderr = text(forwarder.stderr).catch(() => "");
  forwarder.stdin.write(`${JSON.stringify(order)}\n`);
  const reached = await firstLine(forwarder.stdout);
  if (reached === undefined) throw unreachableInside(url, await stderr);
  forwarder.unref();
  for (const stream of [forwarder.stdin, forwarder.stdout, forwarder.stderr])
    if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  const address = new URL(url);
  address.hostname = "127.0.0.1";
  address.port = reached;
  return address.href.replace(/\/$/, "");
}
