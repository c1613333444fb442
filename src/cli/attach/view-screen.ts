import { spawn } from "node:child_process";
import { once } from "node:events";
import { homeDirectory, tmuxSocket } from "../../config/paths.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Console } from "../console/console.ts";

/** Attaches to the tmux screen of a session until the user detaches or the session ends. */
export async function viewScreen(
  { id }: SessionInfo,
  { env, err }: Pick<Console, "env" | "err">,
): Promise<void> {
  await err.write(err.colors.dim("Press Ctrl-B d to leave. The session continues.\n"));
  const { TMUX: _, ...others } = env; // tmux refuses to attach from within another tmux
  const args = ["-u", "-S", tmuxSocket(homeDirectory(env)), "attach-session", "-t", `=${id}`];
  const tmux = spawn("tmux", args, { env: others, stdio: "inherit" });
  const [code] = await once(tmux, "exit").catch((cause) => {
    throw new HalyardError(
      "unsupported",
      `tmux cannot be run (${reasonOf(cause)}). Install tmux with your package manager, or run "halyard events ${id} --follow" to follow the session without it.`,
      { cause },
    );
  });
  if (code !== 0)
    throw new HalyardError(
      "session_stopped",
      `Session ${id} has no tmux screen. Run "halyard events ${id}" to read its log.`,
    );
}
