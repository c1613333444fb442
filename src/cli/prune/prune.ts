import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { PrunedSession, Retention } from "../../schema/session/retention.ts";
import { confirmLoss } from "../console/confirm.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanLine } from "../text/clean.ts";
import { formatAge, formatBytes, plural } from "../text/format.ts";

export interface PruneCommandOptions {
  readonly olderThan?: string;
  readonly keep?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly format: "text" | "json";
}

/** Deletes old ended sessions, and prints each of them and the freed disk space. With `dryRun`, only lists the sessions. */
export async function prune(options: PruneCommandOptions): Promise<number> {
  const { dryRun = false, format } = options;
  const console = openConsole();
  const retention = await retentionOf(options, console);
  await using halyard = await openDaemonOrLocal(console);
  const write = (session: PrunedSession) =>
    console.out.write(format === "json" ? `${JSON.stringify(session)}\n` : `${lineOf(session)}\n`);
  if (dryRun || (console.isAttended && !options.yes)) {
    const { removed } = await halyard.prune({ ...retention, dryRun: true });
    for (const session of dryRun ? removed : []) await write(session);
    if (dryRun) await console.err.write(`Would delete ${plural(removed.length, "session")}.\n`);
    else if (removed.length > 0)
      await confirmLoss(
        `Delete ${plural(removed.length, "session")} with all events?`,
        console,
        options,
      );
  }
  if (!dryRun) await pruneAll(halyard, retention, console, write);
  throwIfUnwritable(console);
  return 0;
}

async function pruneAll(
  halyard: Halyard,
  retention: Retention,
  console: Console,
  write: (session: PrunedSession) => Promise<void>,
): Promise<void> {
  let count = 0;
  let bytes = 0;
  const problems = new Set<string>();
  for (let hasMore = true; hasMore; ) {
    const result = await halyard.prune(retention);
    for (const session of result.removed) await write(session);
    for (const problem of result.problems) problems.add(problem);
    count += result.removed.length;
    bytes += result.freedBytes;
    hasMore = result.hasMore && (result.removed.length > 0 || result.freedBytes > 0);
  }
  await warn(console, [...problems]);
  await console.err.write(`Deleted ${plural(count, "session")}, freed ${formatBytes(bytes)}.\n`);
}

/** Returns the retention rule from the command line, otherwise from `config.json`. */
async function retentionOf(
  { olderThan, keep }: PruneCommandOptions,
  { env }: Console,
): Promise<Retention> {
  const home = homeDirectory(env);
  const { userSettings } = await loadConfig({ env, home, cwd: home });
  const configured = olderThan === undefined ? userSettings?.value?.retention : { olderThan };
  if (configured) return { ...configured, ...(keep !== undefined && { keep }) };
  throw new HalyardError(
    "invalid_input",
    `No age was given, and ${userSettings?.path} has no retention setting. Run "halyard prune --older-than 30d".`,
  );
}

function lineOf({ id, runtime, title, state, updatedAt, events }: PrunedSession): string {
  const age = formatAge(Date.now() - Date.parse(updatedAt));
  const about = title === undefined ? "" : `  ${cleanLine(title)}`;
  return `${id}  ${runtime}  ${state}  ${age}  ${plural(events, "event")}${about}`;
}
