import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../../../files/make-directory.ts";
import type { StreamEvent } from "../../../schema/event.ts";
import type { SessionInfo } from "../../../schema/session.ts";
import { openSessionFile } from "./session-file.ts";

/** The messages of a run, to be appended to a session file in the format of the Claude Agent SDK. */
export class Transcript {
  readonly #entries: Entry[] = [];

  onEvent(event: StreamEvent): void {
    switch (event.type) {
      case "message": {
        const part =
          event.channel === "text"
            ? { type: "text", text: event.text }
            : { type: "thinking", thinking: event.text };
        this.#add(event, event.role, part);
        break;
      }
      case "tool_call": {
        const { callId: id, name, input } = event;
        this.#add(event, "assistant", { type: "tool_use", id, name, input });
        break;
      }
      case "tool_result": {
        const { callId: tool_use_id, output: content, isError: is_error } = event;
        this.#add(event, "user", { type: "tool_result", tool_use_id, content, is_error });
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

  /** Appends the messages to the file. */
  async write(file: string, { runtimeSessionId, id, cwd }: SessionInfo): Promise<void> {
    await makeDirectory(dirname(file));
    let parentUuid = await lastId(file);
    const lines = this.#entries.map(({ type, content, timestamp }) => {
      const uuid = randomUUID();
      const message = { role: type, content };
      const line = {
        type,
        uuid,
        parentUuid,
        timestamp,
        sessionId: runtimeSessionId ?? id,
        cwd,
        message,
      };
      parentUuid = uuid;
      return `${JSON.stringify(line)}\n`;
    });
    await appendFile(file, lines.join(""), { mode: 0o600 });
  }

  #add({ at: timestamp }: StreamEvent, type: Entry["type"], part: object): void {
    this.#entries.push({ type, timestamp, content: [part] });
  }
}

interface Entry {
  readonly type: "user" | "assistant";
  readonly timestamp: string;
  readonly content: unknown;
}

async function lastId(file: string): Promise<string | null> {
  const session = await openSessionFile(file).catch(() => undefined); // the file does not exist yet
  return (await session?.loadHistory())?.at(-1)?.id ?? null;
}
