import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Connection, ConnectRequest } from "../../../core/adapter.ts";
import { HalyardError } from "../../../core/error.ts";
import type { Command, Host } from "../../../core/host.ts";
import { prepareCodex } from "../connect.ts";
import { CodexConnection } from "../connection.ts";
import type { CodexPlaces } from "../find.ts";
import { KEY_VARIABLE } from "../home.ts";
import { LINE_KEY, lineSource } from "./line.ts";
import { ScreenedLine } from "./screened-line.ts";

/**
 * Starts a server for the session, with a line to it that outlives us and Codex's own screen beside it; or takes hold
 * of them where they run.
 */
export async function connectScreen(
  request: ConnectRequest,
  places: CodexPlaces,
): Promise<Connection> {
  const { runDir, attach } = request;
  const host = withScreens(request.host);
  if (attach) {
    const [line, terminal] = await Promise.all([host.attach(runDir), host.attachTerminal(runDir)]);
    if (!line || (await terminal?.health()) !== "alive" || !terminal)
      throw new HalyardError("lost", "Codex's screen is nowhere to be found");
    return new CodexConnection(new ScreenedLine(line, terminal), request);
  }
  const { command, provider } = await prepareCodex(request, places, screenSettings(request));
  const files = filesIn(runDir);
  const key = randomBytes(32).toString("hex");
  await writeFile(files.program, lineSource({ file: command.file, addressFile: files.address }));
  const line = await host.spawn(
    {
      ...command,
      file: process.execPath,
      args: ["--experimental-websocket", "--no-warnings", files.program],
      env: { ...command.env, [LINE_KEY]: key },
    },
    { runDir },
  );
  const screened = new ScreenedLine(line);
  return new CodexConnection(screened, request, {
    provider,
    async onOpen(threadId, ask) {
      // Until a thread is on record, which its name brings about, no other can join it.
      if (request.resume === undefined)
        await ask("thread/name/set", { threadId, name: basename(request.cwd) || "/" });
      const address = await readFile(files.address, "utf8");
      const tui = tuiCommand(command, { threadId, address, key });
      await screened.show(() => host.openTerminal(tui, { runDir }));
    },
  });
}

type ScreenHost = Host & Required<Pick<Host, "openTerminal" | "attachTerminal">>;

function withScreens(host: Host): ScreenHost {
  const { openTerminal, attachTerminal } = host;
  if (openTerminal && attachTerminal) return { ...host, openTerminal, attachTerminal };
  throw new HalyardError("unsupported", `there are no screens on the host "${host.name}"`);
}

function filesIn(runDir: string) {
  return { program: join(runDir, "codex-line.mjs"), address: join(runDir, "codex-address") };
}

/** What Codex would ask a new user, and what would run on after it or move where nothing happens. */
function screenSettings({ cwd }: ConnectRequest) {
  return {
    [`projects.${JSON.stringify(cwd)}.trust_level`]: "trusted",
    "features.daemon_auto_start": false,
    "tui.screen_reader_detection_done": true,
    "tui.animations": false,
    "tui.show_tooltips": false,
  };
}

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
    env: { LANG: "C.UTF-8", ...others, [LINE_KEY]: key, TERM: "tmux-256color" },
  };
}
