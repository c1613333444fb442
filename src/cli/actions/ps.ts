import type { ProcessInfo } from "../../schema/process.ts";
import { openNearby } from "../open-nearby.ts";
import { table } from "../output/table.ts";
import { openTerminal, type Terminal, throwIfUnwritable } from "../terminal.ts";

export interface PsOptions {
  readonly format: "text" | "json";
}

export async function ps({ format }: PsOptions): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  const processes = await halyard.processes();
  await list(processes, format, terminal, "No process runs for a session.\n");
  if (format === "text" && processes.some(({ isLeftOver }) => isLeftOver))
    await terminal.err.write("Some are left of sessions that are over: halyard reap ends them.\n");
  const reasons = new Set(processes.flatMap(({ unreachable }) => unreachable ?? []));
  if (format === "text") for (const reason of reasons) await terminal.err.write(`${reason}\n`);
  return 0;
}

export async function reap({ format }: PsOptions): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  await list(await halyard.reap(), format, terminal, "Nothing was left to end.\n");
  return 0;
}

async function list(
  processes: readonly ProcessInfo[],
  format: PsOptions["format"],
  terminal: Terminal,
  none: string,
): Promise<void> {
  const { out, err } = terminal;
  if (format === "json") {
    for (const info of processes) await out.write(`${JSON.stringify(info)}\n`);
  } else if (processes.length === 0) {
    await err.write(none);
  } else {
    const columns = out.isTerminal ? { columns: out.columns } : {};
    const headings = ["PID", "HOST", "SESSION", "LEFT", "COMMAND"];
    const flexible = { [headings.indexOf("COMMAND")]: "start" } as const;
    const lines = table([headings, ...processes.map(row)], { ...columns, flexible });
    for (const line of lines) await out.write(`${line}\n`);
  }
  throwIfUnwritable(terminal);
}

function row(info: ProcessInfo): string[] {
  const { pid, host, container, sessionId, isLeftOver, command, unreachable } = info;
  const left = unreachable === undefined ? (isLeftOver ? "yes" : "") : "unreachable";
  const where = container === undefined ? host : `${host} ${container}`;
  return [String(pid), where, sessionId ?? "forgotten", left, command];
}
