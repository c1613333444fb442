import { resolve } from "node:path";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { configuredRuntime } from "../models/models.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { whileSpinning } from "../output/spinner.ts";
import { type AgentFlags, agentOptions } from "../start-request.ts";
import { cleanLine } from "../text/clean.ts";
import { abbreviateHome, formatAge } from "../text/format.ts";
import { table } from "../text/table.ts";

export interface RuntimeSessionsOptions extends AgentFlags {
  readonly cwd?: string;
  readonly all?: boolean;
  readonly on?: string;
  readonly limit: number;
  readonly format: "text" | "json";
}

export async function runtimeSessions(
  name: string | undefined,
  options: RuntimeSessionsOptions,
): Promise<number> {
  const console = openConsole();
  const { format, limit, on, all } = options;
  const cwd = resolve(options.cwd ?? ".");
  const runtime = name ?? (await configuredRuntime(console));
  await using halyard = await openDaemonOrLocal(console, { hosts: on !== undefined });
  const query = {
    ...(!all && { cwd }),
    ...(on !== undefined && { on }),
    limit: Math.min(limit + 1, MAX_LIMIT),
  };
  const list = () => halyard.nativeSessions(runtime, { ...query, ...agentOptions(options) });
  const found = await whileSpinning("reading the sessions", list, console, format);
  const shown = found.slice(0, limit);
  if (format === "json")
    for (const session of shown) await console.out.write(`${JSON.stringify(session)}\n`);
  else if (shown.length === 0) await console.err.write(none(runtime, all ? undefined : cwd));
  else await writeTable(shown, console, { hasMore: found.length > limit, all: all === true });
  throwIfUnwritable(console);
  return 0;
}

/** The largest limit of a query. */
const MAX_LIMIT = 1000;

function none(runtime: string, cwd: string | undefined): string {
  return cwd === undefined
    ? `${runtime} has recorded no sessions without Halyard.\n`
    : `${runtime} has recorded no sessions in ${cwd} without Halyard. Add --all to list the sessions of all directories.\n`;
}

async function writeTable(
  sessions: readonly NativeSession[],
  { out, err }: Console,
  { hasMore, all }: { readonly hasMore: boolean; readonly all: boolean },
): Promise<void> {
  const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
  const headings = ["ID", "ACTIVE", ...(all ? ["DIRECTORY"] : []), "TITLE"];
  const rows = sessions.map(({ id, title = "", cwd = "", updatedAt }) => [
    cleanLine(id),
    updatedAt === undefined ? "" : formatAge(Date.now() - Date.parse(updatedAt)),
    ...(all ? [cleanLine(abbreviateHome(cwd))] : []),
    cleanLine(title),
  ]);
  const flexible = all ? ({ 2: "end", 3: "start" } as const) : ({ 2: "start" } as const);
  const [heading = "", ...lines] = table([headings, ...rows], { columns, flexible });
  await out.write(`${out.colors.bold(heading)}\n`);
  for (const line of lines) await out.write(`${line}\n`);
  if (hasMore)
    await err.write(err.colors.dim("There are more sessions. Use --limit to show them.\n"));
}
