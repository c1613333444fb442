import { appendFile, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../../../files/make-directory.ts";
import type { StreamEvent } from "../../../schema/event.ts";
import type { SessionInfo } from "../../../schema/session.ts";
import { toCcSdkLines } from "./ccsdk-lines.ts";
import { toPiLines } from "./pi-lines.ts";
import { openSessionFile } from "./session-file.ts";
import type { TranscriptEntry, TranscriptPart } from "./transcript-entry.ts";

/**
 * Collects the messages of a run on a runtime other than Pi, to append them to the session file. The file keeps its
 * format. A new file has Pi's format, so that Pi can continue the conversation if it replaces a runtime that cannot be
 * loaded.
 */
export class Transcript {
  readonly #entries: TranscriptEntry[] = [];

  onEvent(event: StreamEvent): void {
    switch (event.type) {
      case "message": {
        const { channel, text } = event;
        this.#add(event, event.role, { type: channel === "text" ? "text" : "thinking", text });
        break;
      }
      case "tool_call": {
        const { callId: id, name, input: args } = event;
        this.#add(event, "assistant", { type: "tool_call", id, name, args });
        break;
      }
      case "tool_result": {
        const { callId: id, output: text, isError } = event;
        this.#add(event, "tool_result", { type: "tool_result", id, text, isError });
        break;
      }
      case "system":
      case "delta":
      case "request":
      case "response":
      case "completion":
      case "error":
        break;
    }
  }

  /** Appends the collected messages to a session file. Creates the file if it does not exist. */
  async write(file: string, session: SessionInfo): Promise<void> {
    await makeDirectory(dirname(file));
    const text = await readFile(file, "utf8").catch(() => ""); // the file does not exist yet
    const lines = (await this.#linesFor(file, text, session)).map((line) => JSON.stringify(line));
    const start = text === "" || text.endsWith("\n") ? "" : "\n"; // the last line may be incomplete
    await appendFile(file, `${start}${lines.join("\n")}\n`, { mode: 0o600 });
  }

  async #linesFor(file: string, text: string, session: SessionInfo): Promise<object[]> {
    if (text.trim() === "")
      return toPiLines(this.#entries, { hasHeader: false, lastId: null }, session);
    const { format, loadHistory } = await openSessionFile(file);
    const lastId = (await loadHistory()).at(-1)?.id ?? null;
    return format === "pi-agent"
      ? toPiLines(this.#entries, { hasHeader: true, lastId }, session)
      : toCcSdkLines(this.#entries, lastId, session);
  }

  #add({ at: timestamp }: StreamEvent, role: TranscriptEntry["role"], part: TranscriptPart): void {
    this.#entries.push({ role, timestamp, part });
  }
}
