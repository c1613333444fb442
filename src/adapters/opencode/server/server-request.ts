import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutInherited } from "../../../adapter-kit/mcp-servers.ts";
import { withClaim } from "../../../claims/with-claim.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { Host } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { makeAgentDirectory } from "../../../permissions/agent-writable.ts";
import { allowedEnvironment } from "../../../programs/environment.ts";
import { executable, PATH_ELSEWHERE } from "../../../programs/program.ts";
import { isRecord } from "../../../wire/is-record.ts";
import {
  CATALOG_FILE,
  type CommandParts,
  keyVariables,
  toCommand,
  toolEnvironment,
} from "../command.ts";
import { generatedConfig } from "../config/config.ts";
import { mcpServersOf } from "../config/mcp-servers.ts";
import { modelSource } from "../config/model.ts";
import { pluginSource } from "../config/plugin.ts";
import { seedPluginDirectory } from "../config/plugin-directory.ts";
import { projectOf } from "../config/project.ts";
import { keysIn } from "../config/provider-keys.ts";
import { findOpenCode } from "../find.ts";
import { startOnDatabase } from "./first-start.ts";
import { claimRunning, runNamePrefix, runNamesIn } from "./running-server.ts";
import { Server } from "./server.ts";
import { ServerFiles } from "./server-files.ts";
import type { Lease, Servers } from "./servers.ts";
import { readSessionLocation, writeSessionLocation } from "./session-location.ts";

export interface ServerContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimesDir: string;
  readonly bin?: string | undefined;
  readonly servers: Servers;
  readonly reach?: ((url: string) => string | Promise<string>) | undefined;
}

/** Leases a server for a request. Uses a running server for the same project with the same settings, or starts one. */
export async function leaseServer(request: ConnectRequest, context: ServerContext): Promise<Lease> {
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
    // Like all settings, these are part of the key, so that sessions with different MCP servers do not share a server.
    mcpServers: withoutInherited(mcpServersOf(request), keyVariables(parts)),
    hasRipgrep: hasRipgrep(parts),
    trusted: parts.trusted,
  };
  const asks = request.permissions !== "allow-all";
  const directory = dirname(runDir);
  const session = basename(runDir);
  const key = keyOf([
    project,
    directory,
    { ...parts, env: [allowedEnvironment(env), source.kind === "own" && keysIn(env)] },
    { ...config, permissions: asks },
  ]);
  const start = async (): Promise<Server> => {
    const name = `${runNamePrefix(key)}${randomBytes(4).toString("hex")}`;
    const files = new ServerFiles(join(directory, name));
    const { password } = await files.create(key);
    await files.claim(session); // claimed immediately, because another process may find the server and release it
    const plugin = pathToFileURL(files.plugin).href;
    const all = {
      ...parts,
      cwd: files.runDir,
      password,
      config: generatedConfig({ ...config, plugin }),
    };
    await writeFile(files.plugin, pluginSource(toolEnvironment(all)), { mode: 0o600 });
    await writeFile(join(files.runDir, CATALOG_FILE), "{}");
    makeAgentDirectory(all.dataDir);
    if (source.kind !== "own") seedPluginDirectory(all.dataDir);
    const command = toCommand({ ...all, port: await choosePort(host, directory) });
    const process = await host.spawn(command, { runDir: files.runDir });
    return new Server({ process, files, password, reach: reachFrom(host, context) });
  };
  /** Locked, so that one process starts the server and the others find it. */
  const findOrStart = () =>
    withClaim(join(directory, `opencode-${key}.lock`), {}, async () => {
      const running = await claimRunning({ directory, key }, session, host);
      if (running) return new Server({ ...running, reach: reachFrom(host, context) });
      const lock = join(directory, "database-of-opencode.lock");
      const { dataDir } = parts;
      return startOnDatabase({ dataDir, program: identityOf(file), lock }, start);
    });
  const lease = await servers.lease(key, session, findOrStart);
  await writeSessionLocation(runDir, { server: lease.server.files.runDir });
  return lease;
}

/** Leases the running server of a detached session. Throws `lost` if the server is not running. */
export async function findServer(request: ConnectRequest, context: ServerContext): Promise<Lease> {
  const { host, runDir } = request;
  const { server: serverRunDir } = (await readSessionLocation(runDir)) ?? {};
  if (serverRunDir === undefined) throw lost();
  const files = new ServerFiles(serverRunDir);
  const { key, password } = await files.read().catch((cause) => Promise.reject(lost(cause)));
  const start = async (): Promise<Server> => {
    const process = await host.attach(serverRunDir);
    if (process === undefined || (await process.health()) !== "alive") throw lost();
    return new Server({ process, files, password, reach: reachFrom(host, context) });
  };
  const lease = await context.servers.lease(key, basename(runDir), start);
  if (lease.server.files.runDir === serverRunDir) return lease;
  await lease.release(0); // this lease is for another server with the same key
  throw lost();
}

function reachFrom(host: Host, { reach }: ServerContext): ServerContext["reach"] {
  return reach ?? host.reach?.bind(host);
}

function lost(cause?: unknown): HalyardError {
  return new HalyardError(
    "lost",
    "The OpenCode server is not running. Resume the session to start a new server.",
    { cause },
  );
}

/** Identifies a version of a program by its path and modification time, or only by its path if it is in a container. */
function identityOf(file: string): string {
  return `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? ""}`;
}

/** Returns a hash that does not depend on the order of variables, because the order differs between processes. */
function keyOf(parts: unknown): string {
  const text = JSON.stringify(parts, (_, value) => (isRecord(value) ? sorted(value) : value));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns port 4096 for the first server of a container, because no other process uses the container's ports, and a free
 * port for every other server. A container has several servers if its sessions have different settings.
 */
async function choosePort({ name }: Host, directory: string): Promise<number> {
  const isFirst = name === "container" && (await runNamesIn(directory)).length === 1;
  return isFirst ? 4096 : freePort();
}

/**
 * Returns a free port. Without an explicit port, OpenCode may choose the port of an earlier server, to which old clients
 * may still send requests.
 */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function hasRipgrep({ env, given }: Pick<CommandParts, "env" | "given">): boolean {
  const { PATH = "", HOME = "" } = { ...env, ...given };
  if (PATH === PATH_ELSEWHERE) return true; // Halyard's images contain ripgrep
  const cache = join(HOME, ".cache", "opencode", "bin");
  const directories = [...PATH.split(delimiter).filter((part) => part !== ""), cache];
  return directories.some((directory) => executable(join(directory, "rg")) !== undefined);
}
