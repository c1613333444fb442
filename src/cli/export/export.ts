import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { htmlPage, readPageParts } from "../../halyard/html-page.ts";
import { toMarkdown } from "../../halyard/markdown.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { plural } from "../text/format.ts";
import { writeStream } from "./write-stream.ts";

export interface ExportOptions {
  readonly html?: string;
  readonly archive?: string;
  readonly format: "jsonl" | "json" | "markdown";
}

export async function exportSessions(
  [text = "", ...others]: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const { html, format, archive } = options;
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  if (archive !== undefined)
    return await writeArchive(archive, [text, ...others], halyard, console);
  if (others.length > 0)
    throw new HalyardError(
      "invalid_input",
      "Only --archive accepts several sessions. Export one session, or add --archive FILE.",
    );
  const session = await findSession(halyard, text);
  if (html !== undefined) {
    const parts = await readPageParts();
    await writeStream(html, htmlPage(parts, session, documentOf(halyard, session)));
    await console.err.write(`Wrote ${plural(session.lastSeq, "event")} to ${html}\n`);
    return 0;
  }
  const pieces =
    format === "markdown"
      ? toMarkdown(session, halyard.batches(session.id, { follow: false }))
      : format === "json"
        ? documentOf(halyard, session)
        : linesOf(halyard, session);
  for await (const piece of pieces) await console.out.write(piece);
  if (format === "json") await console.out.write("\n");
  throwIfUnwritable(console);
  return 0;
}

async function writeArchive(
  file: string,
  names: readonly string[],
  halyard: Halyard,
  { env, err }: Console,
): Promise<number> {
  const { exportArchive } = await import("../../archive/export-archive.ts");
  const found = await Promise.all(names.map((name) => findSession(halyard, name)));
  const sessions = [...new Set(found.map(({ id }) => id))];
  const { events } = await exportArchive(file, { home: homeDirectory(env), sessions, env });
  const [count, of] = [plural(events, "event"), plural(sessions.length, "session")];
  await err.write(`Wrote ${count} of ${of} to ${file}\n`);
  return 0;
}

async function* linesOf(halyard: Halyard, { id }: SessionInfo): AsyncGenerator<string> {
  for await (const event of halyard.events(id, { follow: false }))
    yield `${JSON.stringify(event)}\n`;
}

/** Yields the document that `GET /v1/sessions/ID/export?format=json` returns, in pieces. */
async function* documentOf(halyard: Halyard, session: SessionInfo): AsyncGenerator<string> {
  let before = `{"session":${JSON.stringify(session)},"events":[`;
  for await (const event of halyard.events(session.id, { follow: false })) {
    yield `${before}${JSON.stringify(event)}`;
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
