import { findSession } from "../../halyard/find-session.ts";
import { fork } from "../../halyard/fork.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readResumeOptions } from "../start-request.ts";

export interface ForkFlags {
  readonly name?: string;
  readonly worktree?: boolean;
  readonly format: "text" | "json";
}

export async function forkFrom(session: string, options: ForkFlags): Promise<number> {
  const console = openConsole();
  const { name, worktree, format } = options;
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, session);
  // A live session still has its model key; an ended session needs the key from the user again.
  const { model } = liveStates.includes(info.state)
    ? { model: undefined }
    : await readResumeOptions({}, info, console);
  const settings = {
    ...(name !== undefined && { name }),
    ...(worktree && { worktree }),
    ...(model !== undefined && { model }),
  };
  const start = async () => {
    const copy = await fork(halyard, info.id, settings);
    await copy.ready();
    return copy;
  };
  const copy = await whileSpinning("starting", start, console, format);
  await console.out.write(format === "json" ? `${JSON.stringify(copy.info)}\n` : `${copy.id}\n`);
  return 0;
}
