import { readFile } from "node:fs/promises";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { listenAddress } from "../../config/server.ts";
import { findDaemon } from "../../daemon/find.ts";
import { DEFAULT_PORT } from "../../daemon/page-port.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { stopDaemon } from "../../daemon/stop.ts";
import { readToken } from "../../daemon/token.ts";
import { HalyardError } from "../../errors/error.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { requireListenable } from "../../server/listen.ts";
import { type Console, openConsole } from "../console/console.ts";
import { readAll } from "../prompt-text.ts";
import { daemonHome } from "./daemon-home.ts";
import { runDaemonProcess } from "./daemon-process.ts";
import { printExposedLink } from "./exposed-link.ts";

export interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
  readonly expose?: boolean;
  /** A path, or `-` for standard input. */
  readonly tokenFile?: string;
  readonly mcpPermissions?: PermissionPolicy;
  readonly mcpAnswers?: boolean;
}

export async function serve({
  expose = false,
  tokenFile,
  mcpPermissions: permissions,
  mcpAnswers: answers,
  ...flags
}: ServeOptions): Promise<number> {
  const console = openConsole();
  const { env, out, err } = console;
  const home = daemonHome(env);
  const config = await loadConfig({ env, cwd: process.cwd(), home: homeDirectory(env) });
  const configured = listenAddress(config.server?.value);
  const { port, host } = { port: DEFAULT_PORT, host: "127.0.0.1", ...configured, ...flags };
  const { token: file } = daemonPaths(home);
  const given = await readGivenToken(tokenFile, console);
  await replaceBackgroundDaemon(home, { port, host, expose }, console);
  const network = { port, host, expose, token: given ?? (await readToken(file)) };
  await runDaemonProcess(console, {
    kind: "foreground",
    idleMs: 0,
    network,
    mcp: { permissions, answers },
    onReady: (record) => {
      void out.write(`${record.url}\n`).catch(() => {}); // the sink drops text if stdout is closed
      const source = given === undefined ? `in ${file}` : "as given";
      const hint = `Token: ${source}. Run "halyard open" to open the page. Press Ctrl-C to stop.\n`;
      void err.write(err.colors.dim(hint)).catch(() => {});
      if (expose) void printExposedLink(record, err).catch(() => {}); // fails if the daemon is stopping
    },
  });
  return 0;
}

/**
 * Reads the token from `file` or, if `file` is undefined, from HALYARD_TOKEN. Returns undefined if the variable is
 * unset or empty. Throws if the file cannot be read, is empty or contains more than one word.
 */
async function readGivenToken(
  file: string | undefined,
  { env, input }: Console,
): Promise<string | undefined> {
  if (file === undefined) return env.HALYARD_TOKEN?.trim() || undefined;
  const token = (await (file === "-" ? readAll(input) : readTokenFile(file))).trim();
  if (/^\S+$/.test(token)) return token;
  const source = file === "-" ? "Standard input" : file;
  const problem = `${source} does not contain a valid token. Provide one token without spaces.`;
  throw new HalyardError("invalid_input", problem);
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new HalyardError(
      "invalid_input",
      `The token file ${file} cannot be read. Check its path and permissions.`,
      { cause },
    );
  }
}

/**
 * Stops the background daemon, if one is running. This daemon attaches to the sessions that continue. Rejects without an
 * effect if this daemon could not listen on the address, so that the sessions do not lose their daemon.
 */
async function replaceBackgroundDaemon(
  home: string,
  address: { readonly port: number; readonly host: string; readonly expose: boolean },
  { err }: Console,
): Promise<void> {
  const running = await findDaemon(home);
  if (running?.kind !== "background") return;
  const { port } = address;
  const isItsPort = running.url !== undefined && new URL(running.url).port === String(port);
  await requireListenable({ ...address, port: isItsPort ? 0 : port }); // its own port is free after it has stopped
  await err.write(
    err.colors.dim(`Replacing the background daemon (pid ${running.identity.pid})\n`),
  );
  await stopDaemon(running);
}
