import type { Halyard } from "../../contracts/halyard.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { formatCount } from "../text/format.ts";
import { htmlPage, readPageParts } from "./html-page.ts";
import { writeStream } from "./write-stream.ts";

export interface ExportOptions {
  readonly html?: string;
  readonly format: "jsonl" | "json";
}

export async function exportSession(text: string, options: ExportOptions): Promise<number> {
  const { html, format } = options;
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const session = await findSession(halyard, text);
  if (html !== undefined) {
    const parts = await readPageParts();
    await writeStream(html, htmlPage(parts, session, documentOf(halyard, session)));
    await console.err.write(`Wrote ${formatCount(session.lastSeq)} events to ${html}\n`);
    return 0;
  }
  const pieces = format === "json" ? documentOf(halyard, session) : linesOf(halyard, session);
  for await (const piece of pieces) await console.out.write(piece);
  if (format === "json") await console.out.write("\n");
  throwIfUnwritable(console);
  return 0;
}

async function* linesOf(halyard: Halyard, { id }: SessionInfo): AsyncGenerator<string> {
  for await (const event of halyard.events(id, { follow: false }))
    yield `${JSON.stringify(event)}\n`;
}

/** Yields the document that `GET /v1/sessions/ID/export?format=json` returns, piece by piece. */
async function* documentOf(halyard: Halyard, session: SessionInfo): AsyncGenerator<string> {
  let before = `{"session":${JSON.stringify(session)},"events":[`;
  for await (const event of halyard.events(session.id, { follow: false })) {
    yield `${before}${JSON.stringify(event)}`;
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}
