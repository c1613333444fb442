import { readFile } from "node:fs/promises";
import { HalyardError } from "../core/error.ts";
import { isRecord } from "../wire/is-record.ts";
import { readCcSdkMessages } from "./ccsdk-file.ts";
import { readPiMessages } from "./pi-file.ts";

/** A conversation on disk, read in one form whatever wrote it. */
export interface SessionAdapter {
  readonly format: "pi-agent" | "ccsdk";
  readonly sessionFile: string;
  /** The conversation as it stands, from its beginning; what was taken back is left out. */
  loadHistory(): Promise<SessionMessage[]>;
  getMetadata(): Promise<SessionMetadata>;
}

/** What a session file says of itself. */
export interface SessionMetadata {
  /** The runtime's own id for it. */
  readonly sessionId?: string;
  readonly cwd?: string;
}

/** One message of a conversation. */
export interface SessionMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "tool_result";
  /** When it was said, in ISO 8601. */
  readonly timestamp?: string;
  readonly content: readonly SessionContent[];
}

/** A part of a message. */
export type SessionContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly args: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** A session file as read by one of the formats. */
export interface SessionContentOf {
  readonly metadata: SessionMetadata;
  readonly messages: SessionMessage[];
}

/** Opens a session file of Pi's or of the Claude Agent SDK's, told apart by what is in it. It is only read. */
export async function openSessionFile(sessionFile: string): Promise<SessionAdapter> {
  const read = async () => {
    const text = await readFile(sessionFile, "utf8").catch((cause) => {
      throw new HalyardError("invalid_input", `${sessionFile} cannot be read`, { cause });
    });
    return text.split("\n").flatMap(parseLine);
  };
  const isPi = (await read()).some((entry) => isRecord(entry) && entry.type === "session");
  const content = async () => (isPi ? readPiMessages : readCcSdkMessages)(await read());
  return {
    format: isPi ? "pi-agent" : "ccsdk",
    sessionFile,
    loadHistory: async () => (await content()).messages,
    getMetadata: async () => (await content()).metadata,
  };
}

/** The last line may be half written. */
function parseLine(line: string): unknown[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
