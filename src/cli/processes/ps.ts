import type { ProcessInfo } from "../../schema/session/process.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { table } from "../text/table.ts";

export interface PsOptions {
  readonly format: "text" | "json";
}

export async function ps({ format }: PsOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const processes = await halyard.processes();
  await list(processes, format, console, "No session has a process.\n");
  if (format === "text" && processes.some(({ isLeftOver }) => isLeftOver))
    await console.err.write(
      'Some processes belong to ended sessions. Run "halyard reap" to kill them.\n',
    );
  const reasons = new Set(processes.flatMap(({ unreachable }) => unreachable ?? []));
  if (format === "text") for (const reason of reasons) await console.err.write(`${reason}\n`);
  return 0;
}

export async function reap({ format }: PsOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  await list(await halyard.reap(), format, console, "No processes of ended sessions.\n");
  return 0;
}

async function list(
  processes: readonly ProcessInfo[],
  format: PsOptions["format"],
  console: Console,
  none: string,
): Promise<void> {
  const { out, err } = console;
  if (format === "json") {
    for (const info of processes) await out.write(`${JSON.stringify(info)}\n`);
  } else if (processes.length === 0) {
    await err.write(none);
  } else {
    const columns = out.isTTY ? { columns: out.columns } : {};
    const headings = ["PID", "HOST", "SESSION", "LEFT", "COMMAND"];
    const flexible = { [headings.indexOf("COMMAND")]: "start" } as const;
    const lines = table([headings, ...processes.map(row)], { ...columns, flexible });
    for (const line of lines) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
}

function row(info: ProcessInfo): string[] {
  const { pid, host, container, sessionId, isLeftOver, command, unreachable } = info;
  const left = unreachable === undefined ? (isLeftOver ? "yes" : "") : "unreachable";
  const location = container === undefined ? host : `${host} ${container}`;
  return [String(pid), location, sessionId ?? "unknown", left, command];
}
