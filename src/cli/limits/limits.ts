import type { AccountLimits, LimitWindow } from "../../schema/usage-limit.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { abbreviateHome, formatAge, formatTime } from "../text/format.ts";
import { table } from "../text/table.ts";

export interface LimitsOptions {
  readonly format: "text" | "json";
}

/** Prints the usage limits that sessions have reported, by account. */
export async function limits({ format }: LimitsOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const accounts = await halyard.limits();
  if (format === "json")
    for (const account of accounts) await console.out.write(`${JSON.stringify(account)}\n`);
  else if (accounts.length === 0)
    await console.err.write("No session has reported a usage limit yet.\n");
  else {
    const [heading = "", ...lines] = limitTable(accounts, new Date());
    await console.out.write(`${[console.out.colors.bold(heading), ...lines].join("\n")}\n`);
  }
  throwIfUnwritable(console);
  return 0;
}

/** Formats accounts as a table with a heading: one line per window. */
export function limitTable(accounts: readonly AccountLimits[], now: Date): string[] {
  const rows = accounts.flatMap((account) =>
    account.windows.map((window) => [
      account.runtime,
      accountOf(account),
      window.window,
      usedOf(account, window),
      resetOf(window, now),
      `${formatAge(now.getTime() - Date.parse(account.reportedAt))} ago`,
    ]),
  );
  const columns = Number.POSITIVE_INFINITY;
  return table([HEADINGS, ...rows], { columns, flexible: {} });
}

const HEADINGS = ["RUNTIME", "ACCOUNT", "WINDOW", "USED", "RESETS", "REPORTED"];

function accountOf({ accountDir, endpoint }: AccountLimits): string {
  return accountDir === undefined ? (endpoint ?? "default") : abbreviateHome(accountDir);
}

function usedOf({ status }: AccountLimits, { usedPercent }: LimitWindow): string {
  if (usedPercent !== undefined) return `${Math.round(usedPercent)}%`;
  return status === "reached" ? "reached" : "-";
}

function resetOf({ resetsAt }: LimitWindow, now: Date): string {
  if (resetsAt === undefined) return "-";
  const leftMs = Date.parse(resetsAt) - now.getTime();
  return leftMs <= 0 ? "has reset" : `${formatTime(resetsAt)} (in ${formatAge(leftMs)})`;
}
