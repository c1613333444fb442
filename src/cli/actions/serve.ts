import { readFile } from "node:fs/promises";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { listenAddress } from "../../config/server.ts";
import { HalyardError } from "../../core/error.ts";
import { findDaemon } from "../../daemon/find.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { stopDaemon } from "../../daemon/stop.ts";
import { readToken } from "../../daemon/token.ts";
import { hostDaemon } from "../host-daemon.ts";
import { readAll } from "../prompt-text.ts";
import { openTerminal, type Terminal } from "../terminal.ts";

export interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
  readonly expose?: boolean;
  /** A path, or `-` for standard input. */
  readonly tokenFile?: string;
}

export async function serve({
  expose = false,
  tokenFile,
  ...asked
}: ServeOptions): Promise<number> {
  const terminal = openTerminal();
  const { env, out, err } = terminal;
  const home = homeDirectory(env);
  const config = await loadConfig({ env, cwd: process.cwd(), home });
  const configured = listenAddress(config.server?.value);
  const { port, host } = { port: 4747, host: "127.0.0.1", ...configured, ...asked };
  const { token: file } = daemonPaths(home);
  const given = await readGivenToken(tokenFile, terminal);
  await takeOver(home, terminal);
  const network = { port, host, expose, token: given ?? (await readToken(file)) };
  await hostDaemon(terminal, {
    kind: "foreground",
    idleMs: 0,
    network,
    onReady: ({ url }) => {
      void out.write(`${url}\n`).catch(() => {}); // nobody there to tell
      const where = given === undefined ? file : "as given";
      void err.write(err.colors.dim(`token: ${where}; Ctrl-C ends it\n`)).catch(() => {});
    },
  });
  return 0;
}

/** The token that the caller chose; an empty one would let every client in. */
async function readGivenToken(
  file: string | undefined,
  { env, input }: Terminal,
): Promise<string | undefined> {
  if (file === undefined) return env.HALYARD_TOKEN?.trim() || undefined;
  const token = (await (file === "-" ? readAll(input) : readTokenFile(file))).trim();
  if (/^\S+$/.test(token)) return token;
  const source = file === "-" ? "Standard input" : file;
  const problem = `${source} must contain one token without spaces.`;
  throw new HalyardError("invalid_input", problem);
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new HalyardError("invalid_input", `The token file ${file} cannot be read.`, { cause });
  }
}

/** A daemon in the background makes room: its sessions go on, and are taken hold of here. */
async function takeOver(home: string, { err }: Terminal): Promise<void> {
  const running = await findDaemon(home);
  if (running?.kind !== "background") return;
  await err.write(err.colors.dim(`taking over from the daemon (pid ${running.identity.pid})\n`));
  await stopDaemon(running);
}
