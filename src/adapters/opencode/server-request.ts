import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { ConnectRequest } from "../../core/adapter.ts";
import { makeAgentDirectory, writeAgentFile } from "../../core/agent-writable.ts";
import { HalyardError } from "../../core/error.ts";
import type { Host } from "../../core/host.ts";
import { withoutInherited } from "../../core/mcp-servers.ts";
import { executable, PATH_ELSEWHERE } from "../../core/program.ts";
import {
  type CommandParts,
  keyVariables,
  ownDirectories,
  toCommand,
  toolEnvironment,
} from "./command.ts";
import { generatedConfig } from "./config.ts";
import { findOpenCode } from "./find.ts";
import { mcpServersOf } from "./mcp-servers.ts";
import { type ModelSource, modelSource } from "./model.ts";
import { pluginSource } from "./plugin.ts";
import { projectOf } from "./project.ts";
import { Server } from "./server.ts";
import { ServerFiles } from "./server-files.ts";
import type { Lease, Servers } from "./servers.ts";
import { readWhereabouts, writeWhereabouts } from "./whereabouts.ts";

export interface ServerContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimesDir: string;
  readonly bin?: string | undefined;
  readonly servers: Servers;
  readonly reach?: ((url: string) => string | Promise<string>) | undefined;
}

/** A server for a session: one that runs already for the same project and is set up alike, or a new one. */
export async function hireServer(request: ConnectRequest, context: ServerContext): Promise<Lease> {
  const { env, runtimesDir, servers } = context;
  const { options, host, runDir } = request;
  const bin = typeof options.bin === "string" ? options.bin : context.bin;
  const { file } = await findOpenCode({ env: { ...env, ...request.env }, runtimesDir, bin });
  const project =
    typeof options.project === "string" ? options.project : await projectOf(request.cwd);
  const source = modelSource(request.model, { ...env, ...request.env });
  const parts = {
    file,
    host: host.name,
    dataDir: join(dirname(request.stateDir), "opencode"),
    source,
    env,
    given: request.env,
    trusted: request.trusted ?? false,
  };
  const config = {
    source,
    permissions: request.permissions,
    reasons: request.reasoning !== undefined && request.reasoning !== "off",
    // Part of the server's key, like all of this: a session with servers of its own shares them with nobody else.
    mcpServers: withoutInherited(mcpServersOf(request), keyVariables(parts)),
    hasRipgrep: hasRipgrep(parts),
    trusted: parts.trusted,
  };
  const asks = request.permissions !== "allow-all";
  const key = keyOf([
    project,
    dirname(runDir),
    { ...parts, env: undefined },
    { ...config, permissions: asks },
  ]);
  const start = async (): Promise<Server> => {
    const name = `opencode-${key}-${randomBytes(4).toString("hex")}`;
    const files = new ServerFiles(join(dirname(runDir), name));
    const { password } = await files.create(key);
    const plugin = pathToFileURL(files.plugin).href;
    const all = {
      ...parts,
      cwd: files.runDir,
      password,
      config: generatedConfig({ ...config, plugin }),
    };
    await writeFile(files.plugin, pluginSource(toolEnvironment(all)), { mode: 0o600 });
    seed(all);
    const command = toCommand({ ...all, port: await freePort() });
    const process = await host.spawn(command, { runDir: files.runDir });
    return new Server({ process, files, password, reach: reachFrom(host, context) });
  };
  const lease = await servers.hire(key, basename(runDir), start);
  await writeWhereabouts(runDir, { server: lease.server.files.runDir });
  return lease;
}

/** The server that a session was on when whoever held it went away. */
export async function findServer(request: ConnectRequest, context: ServerContext): Promise<Lease> {
  const { host, runDir } = request;
  const { server: serverRunDir } = (await readWhereabouts(runDir)) ?? {};
  if (serverRunDir === undefined) throw lost();
  const files = new ServerFiles(serverRunDir);
  const { key, password } = await files.read().catch((cause) => Promise.reject(lost(cause)));
  const start = async (): Promise<Server> => {
    const process = await host.attach(serverRunDir);
    if (process === undefined || (await process.health()) !== "alive") throw lost();
    return new Server({ process, files, password, reach: reachFrom(host, context) });
  };
  const lease = await context.servers.hire(key, basename(runDir), start);
  if (lease.server.files.runDir === serverRunDir) return lease;
  await lease.release(0); // another of the same kind took its place
  throw lost();
}

function reachFrom(host: Host, { reach }: ServerContext): ServerContext["reach"] {
  return reach ?? host.reach?.bind(host);
}

function lost(cause?: unknown): HalyardError {
  return new HalyardError("lost", "OpenCode's server is nowhere to be found", { cause });
}

function keyOf(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** Otherwise OpenCode would fetch a package for its plugins from the network, into this directory. */
function seed({ dataDir, source }: Pick<CommandParts, "dataDir"> & { source: ModelSource }): void {
  makeAgentDirectory(dataDir);
  if (source.kind === "own") return;
  const { XDG_CONFIG_HOME: config = "" } = ownDirectories(dataDir);
  const directory = join(relative(dataDir, config), "opencode");
  makeAgentDirectory(dataDir, join(directory, "node_modules"));
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
  writeAgentFile(dataDir, join(directory, "package-lock.json"), JSON.stringify(lock));
}

/** OpenCode itself would take one that a server before it had, and so would what still is connected to that one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function hasRipgrep({ env, given }: Pick<CommandParts, "env" | "given">): boolean {
  const { PATH = "", HOME = "" } = { ...env, ...given };
  if (PATH === PATH_ELSEWHERE) return true; // as every image of ours has
  const cache = join(HOME, ".cache", "opencode", "bin");
  const places = [...PATH.split(delimiter).filter((part) => part !== ""), cache];
  return places.some((place) => executable(join(place, "rg")) !== undefined);
}
