import { HalyardError } from "../../errors/error.ts";
import { openConsole } from "../console/console.ts";
import { runDaemonProcess } from "./daemon-process.ts";

/** Runs the daemon in this process. Does not fail if another daemon is running, because the caller can connect to that daemon. */
export async function daemonRun({ idle }: { idle: number }): Promise<number> {
  const console = openConsole();
  try {
    await runDaemonProcess(console, { kind: "background", idleMs: idle * 1000 });
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "already_running")) throw error;
    await console.err.write(`${error.message}\n`);
  }
  return 0;
}
