import { HalyardError } from "../../core/error.ts";
import { hostDaemon } from "../host-daemon.ts";
import { openTerminal } from "../terminal.ts";

/** One that runs already is as good: whoever started this one is looking for it. */
export async function daemonRun({ idle }: { idle: number }): Promise<number> {
  const terminal = openTerminal();
  try {
    await hostDaemon(terminal, { kind: "background", idleMs: idle * 1000 });
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "already_running")) throw error;
    await terminal.err.write(`${error.message}\n`);
  }
  return 0;
}
