import { importArchive } from "../../archive/import-archive.ts";
import { homeDirectory } from "../../config/paths.ts";
import { openConsole } from "../console/console.ts";
import { plural } from "../text/format.ts";

/** Adds the sessions of an archive to the home. A running daemon lists the sessions immediately. */
export async function importSessions(file: string): Promise<number> {
  const console = openConsole();
  const home = homeDirectory(console.env);
  const { sessions, events } = await importArchive(file, { home });
  for (const { id } of sessions) await console.out.write(`${id}\n`);
  await console.err.write(
    `Imported ${plural(sessions.length, "session")} with ${plural(events, "event")}.\n`,
  );
  return 0;
}
