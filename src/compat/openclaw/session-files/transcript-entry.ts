import type { SessionContent } from "./session-file.ts";

/** A part of a message that a run has produced. */
export type TranscriptPart = Exclude<SessionContent, { readonly type: "image" }>;

/** A part of a message, with the role and the time of the message. */
export interface TranscriptEntry {
  readonly role: "user" | "assistant" | "tool_result";
  readonly timestamp: string;
  readonly part: TranscriptPart;
}
