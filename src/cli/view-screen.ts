import { spawn } from "node:child_process";
import { once } from "node:events";
import { homeDirectory, tmuxSocket } from "../config/paths.ts";
import { HalyardError } from "../core/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Terminal } from "./terminal.ts";

/** Drops into the screen that a session in tmux works on, until it is left or ends. */
export async function viewScreen({ id }: SessionInfo, { env, err }: Terminal): Promise<void> {
  await err.write(err.colors.dim("Ctrl-B d leaves, and it goes on\n"));
  const { TMUX: _, ...others } = env; // from within another tmux it would refuse
  const args = ["-u", "-S", tmuxSocket(homeDirectory(env)), "attach-session", "-t", `=${id}`];
  const tmux = spawn("tmux", args, { env: others, stdio: "inherit" });
  const [code] = await once(tmux, "exit");
  if (code !== 0)
    throw new HalyardError("session_stopped", `${id} has no screen to be seen, or not any more`);
}
