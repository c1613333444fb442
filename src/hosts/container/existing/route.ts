import { spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { ContainerInfo, ContainerRuntime } from "../../../containers/container-runtime.ts";
import { HalyardError } from "../../../core/error.ts";
import { firstLine } from "../first-line.ts";
import { type ModelRoute, ROUTE_PORT } from "../model-route.ts";
import { proxyServerSource } from "../route-sources.ts";
import { startDetached } from "../routes.ts";
import { execOrder } from "./keeper.ts";
import { doorSource, insideAcceptSource, insideConnectSource, routeSource } from "./sources.ts";

/** Opens the way to a model through the engine, or finds it open. To be called with the lock of the place. */
export async function openExistingRoute(
  { name, address, target, headers }: ModelRoute,
  engine: ContainerRuntime,
  container: ContainerInfo,
  directory: string,
): Promise<void> {
  const file = join(directory, `${name}-${container.id.slice(0, 12)}.route`);
  const args = ["node", "-e", insideAcceptSource, address, String(ROUTE_PORT)] as const;
  if (await answers(engine, container.id, address)) {
    if (existsSync(file) || !(await closes(engine, container.id, address))) return;
  }
  writeFileSync(file, "", { mode: 0o600 });
  const order = execOrder(engine, container.id, { args: [...args] });
  try {
    await startDetached(routeSource(proxyServerSource), { ...order, target, headers, file });
  } catch (cause) {
    rmSync(file, { force: true });
    const message = `The way to the model could not be opened in the container ${container.name} (does it have node?).`;
    throw new HalyardError("start_failed", message, { cause });
  }
}

/** Waits for a route without a note: one of a session that has just ended closes, one of another Halyard stays open. */
async function closes(
  engine: ContainerRuntime,
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

/** A route closes at most this long after its note is gone. */
const CLOSING_MS = 1_500;
const LOOK_EVERY_MS = 50;

async function answers(
  engine: ContainerRuntime,
  container: string,
  address: string,
): Promise<boolean> {
  const probe = `require("node:net").connect(${ROUTE_PORT}, "${address}", () => process.exit(0)).on("error", () => process.exit(1))`;
  return (await engine.exec(container, { args: ["node", "-e", probe] })).code === 0;
}

/** The address here of a server that listens inside. It lasts as long as our process. */
export async function reachExisting(
  url: string,
  engine: ContainerRuntime,
  container: string,
): Promise<string> {
  const { port } = new URL(url);
  const order = execOrder(engine, container, { args: ["node", "-e", insideConnectSource, port] });
  const door = spawn(process.execPath, ["--input-type=module", "-e", doorSource], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "pipe"],
  });
  door.once("error", () => {}); // then it says nothing
  const complaint = text(door.stderr).catch(() => "");
  door.stdin.write(`${JSON.stringify(order)}\n`);
  const reached = await firstLine(door.stdout);
  if (reached === undefined)
    throw new HalyardError("start_failed", `${url} cannot be reached: ${(await complaint).trim()}`);
  door.unref();
  for (const stream of [door.stdin, door.stdout, door.stderr])
    if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  const address = new URL(url);
  address.hostname = "127.0.0.1";
  address.port = reached;
  return address.href.replace(/\/$/, "");
}
