import { readFile } from "node:fs/promises";
import { HalyardError } from "../../../errors/error.ts";
import { isRecord } from "../../../wire/is-record.ts";
import { readCcSdkMessages } from "./ccsdk-file.ts";
import { readPiMessages } from "./pi-file.ts";

/** Reads a session file of Pi or the Claude Agent SDK in one format. */
export interface SessionAdapter {
  readonly format: "pi-agent" | "ccsdk";
  readonly sessionFile: string;
  /** Returns all messages in the conversation, except reverted ones. */
  loadHistory(): Promise<SessionMessage[]>;
  getMetadata(): Promise<SessionMetadata>;
}

/** A session file's metadata. */
export interface SessionMetadata {
  /** The runtime's session id. */
  readonly sessionId?: string;
  readonly cwd?: string;
}

/** One message in a conversation. */
export interface SessionMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "tool_result";
  /** The message's time in ISO 8601 format. */
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

/** A session file's content. */
export interface SessionContentOf {
  readonly metadata: SessionMetadata;
  readonly messages: SessionMessage[];
}

/**
 * Opens a Pi or Claude Agent SDK session file for reading. A file without Pi's header counts as a Claude Agent SDK file.
 * Rejects if the file cannot be read.
 */
export async function openSessionFile(sessionFile: string): Promise<SessionAdapter> {
  const read = async () => {
    const text = await readFile(sessionFile, "utf8").catch((cause) => {
      throw new HalyardError(
        "invalid_input",
        `Cannot read the session file ${sessionFile}. Check the path and its permissions.`,
        { cause },
      );
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

/** Parses a line. Returns an empty array if the line is blank or is not valid JSON. */
function parseLine(line: string): unknown[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
