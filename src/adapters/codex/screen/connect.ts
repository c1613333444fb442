import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type ScreenHost, withScreens } from "../../../adapter-kit/screens.ts";
import type { Connection, ConnectRequest } from "../../../contracts/adapter.ts";
import type { Command } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { ProgramPaths } from "../../../programs/program.ts";
import { prepareCodex } from "../connect.ts";
import { CodexConnection, type CodexConnectionOptions } from "../connection.ts";
import { KEY_VARIABLE } from "../home/home.ts";
import { PROXY_KEY, proxyFilesIn, startProxy } from "../proxy.ts";
import { ScreenProcess } from "./screen-process.ts";

/**
 * Starts a server for the session, a proxy that keeps running after Halyard exits, and Codex's own interface on a
 * screen. If the request contains an attach point, attaches to the running proxy and screen instead. Rejects with `lost`
 * if one of them has exited.
 */
export async function connectScreen(
  request: ConnectRequest,
  paths: ProgramPaths,
): Promise<Connection> {
  const host = withScreens(request.host);
  if (request.attach) return attachScreen(request, paths, host);
  const { command, ...options } = await prepareCodex(request, paths, screenSettings);
  const { process: proxy, key } = await startProxy(request, command);
  const screenProcess = new ScreenProcess(proxy);
  const onOpen = screenOpener({ request, host, screenProcess, command, key });
  return new CodexConnection(screenProcess, request, { ...options, onOpen });
}

/** Attaches to the proxy and the screen. Opens the screen if the previous owner died before opening it. */
async function attachScreen(
  request: ConnectRequest,
  paths: ProgramPaths,
  host: ScreenHost,
): Promise<Connection> {
  const { runDir } = request;
  const [proxy, terminal] = await Promise.all([host.attach(runDir), host.attachTerminal(runDir)]);
  const isGone = terminal !== undefined && (await terminal.health()) !== "alive";
  if (!proxy || isGone)
    throw new HalyardError(
      "lost",
      "Codex or its screen is no longer running. Resume the session to start Codex again.",
    );
  const screenProcess = new ScreenProcess(proxy, terminal);
  if (terminal) return new CodexConnection(screenProcess, request);
  const key = (await host.environment?.(proxy.identity))?.[PROXY_KEY];
  if (key === undefined)
    throw new HalyardError(
      "lost",
      "The previous owner died while Codex was starting. Resume the session to start Codex again.",
    );
  const { command } = await prepareCodex(request, paths, screenSettings);
  const onOpen = screenOpener({ request, host, screenProcess, command, key });
  return new CodexConnection(screenProcess, request, { onOpen });
}

interface Opening {
  readonly request: ConnectRequest;
  readonly host: ScreenHost;
  readonly screenProcess: ScreenProcess;
  /** The command that starts the session's server. */
  readonly command: Command;
  readonly key: string;
}

function screenOpener({ request, host, screenProcess, command, key }: Opening) {
  const onOpen: CodexConnectionOptions["onOpen"] = async (threadId, call) => {
    // Sets a name, so that Codex writes the thread to disk. Another client can join the thread only after that.
    if (request.resume === undefined)
      await call("thread/name/set", { threadId, name: basename(request.cwd) || "/" });
    const address = await readFile(proxyFilesIn(request).address, "utf8");
    const tui = tuiCommand(command, { threadId, address, key });
    await screenProcess.show(() => host.openTerminal(tui, request));
  };
  return onOpen;
}

/** Disables first-start dialogs, background processes and animations. */
const screenSettings = {
  "features.daemon_auto_start": false,
  "tui.screen_reader_detection_done": true,
  "tui.animations": false,
  "tui.show_tooltips": false,
};

/** Returns the command that starts Codex's interface. Omits the model key, which the interface does not need. */
function tuiCommand(
  { file, cwd, env }: Command,
  { threadId, address, key }: { threadId: string; address: string; key: string },
): Command {
  const { [KEY_VARIABLE]: _, ...others } = env;
  return {
    file,
    args: ["resume", threadId, "--remote", address, "--remote-auth-token-env", PROXY_KEY],
    cwd,
    env: { ...others, [PROXY_KEY]: key },
  };
}
