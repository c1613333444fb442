import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Connection, ConnectRequest } from "../../../core/adapter.ts";
import { HalyardError } from "../../../core/error.ts";
import type { Command } from "../../../core/host.ts";
import type { ProgramPlaces } from "../../../core/program.ts";
import { type ScreenHost, withScreens } from "../../../core/screens.ts";
import { prepareCodex } from "../connect.ts";
import { CodexConnection, type CodexConnectionOptions } from "../connection.ts";
import { KEY_VARIABLE } from "../home.ts";
import { LINE_KEY, lineFilesIn, startLine } from "../line.ts";
import { ScreenedLine } from "./screened-line.ts";

/**
 * Starts a server for the session, with a line to it that outlives us and Codex's own screen beside it; or takes hold
 * of them where they run.
 */
export async function connectScreen(
  request: ConnectRequest,
  places: ProgramPlaces,
): Promise<Connection> {
  const host = withScreens(request.host);
  if (request.attach) return takeHold(request, places, host);
  const { command, ...options } = await prepareCodex(request, places, screenSettings);
  const { process: line, key } = await startLine(request, command);
  const screened = new ScreenedLine(line);
  const onOpen = screenOpener({ request, host, screened, command, key });
  return new CodexConnection(screened, request, { ...options, onOpen });
}

/** Whoever started it may have died before there was a screen: it is opened then. */
async function takeHold(
  request: ConnectRequest,
  places: ProgramPlaces,
  host: ScreenHost,
): Promise<Connection> {
  const { runDir } = request;
  const [line, terminal] = await Promise.all([host.attach(runDir), host.attachTerminal(runDir)]);
  const isGone = terminal !== undefined && (await terminal.health()) !== "alive";
  if (!line || isGone) throw new HalyardError("lost", "Codex's screen is nowhere to be found");
  const screened = new ScreenedLine(line, terminal);
  if (terminal) return new CodexConnection(screened, request);
  const key = (await host.environment?.(line.identity))?.[LINE_KEY];
  if (key === undefined) throw new HalyardError("lost", "Codex was about to start");
  const { command } = await prepareCodex(request, places, screenSettings);
  const onOpen = screenOpener({ request, host, screened, command, key });
  return new CodexConnection(screened, request, { onOpen });
}

interface Opening {
  readonly request: ConnectRequest;
  readonly host: ScreenHost;
  readonly screened: ScreenedLine;
  /** How a server of this session is started. */
  readonly command: Command;
  readonly key: string;
}

function screenOpener({ request, host, screened, command, key }: Opening) {
  const onOpen: CodexConnectionOptions["onOpen"] = async (threadId, ask) => {
    // Until a thread is on record, which its name brings about, nobody else can join it.
    if (request.resume === undefined)
      await ask("thread/name/set", { threadId, name: basename(request.cwd) || "/" });
    const address = await readFile(lineFilesIn(request).address, "utf8");
    const tui = tuiCommand(command, { threadId, address, key });
    await screened.show(() => host.openTerminal(tui, request));
  };
  return onOpen;
}

/** What Codex would ask a new user, and what would run on after it or move where nothing happens. */
const screenSettings = {
  "features.daemon_auto_start": false,
  "tui.screen_reader_detection_done": true,
  "tui.animations": false,
  "tui.show_tooltips": false,
};

/** The screen needs no key to the model, for it does not speak to it. */
function tuiCommand(
  { file, cwd, env }: Command,
  { threadId, address, key }: { threadId: string; address: string; key: string },
): Command {
  const { [KEY_VARIABLE]: _, ...others } = env;
  return {
    file,
    args: ["resume", threadId, "--remote", address, "--remote-auth-token-env", LINE_KEY],
    cwd,
    env: { ...others, [LINE_KEY]: key },
  };
}
