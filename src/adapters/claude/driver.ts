import type { Control } from "./control.ts";
import type { ControlRequest } from "./messages.ts";
import type { userContent } from "./user-message.ts";

/** Sends messages to a running Claude Code process, directly over stdio or through the Claude Agent SDK. */
export interface Driver {
  /** Initializes Claude and resolves with its response. From then on, Claude accepts messages. */
  initialize(): Promise<unknown>;
  sendMessage(uuid: string, content: UserContent): Promise<void>;
  /** Replies to a request about a tool call, in Claude's format. */
  reply(nativeId: string, reply: Record<string, unknown>): Promise<void>;
  /** Rejects a control request that Halyard does not support. */
  refuse(request: ControlRequest): void;
  /** Releases the driver's resources. Does not stop the process. */
  close(): void;
}

/** The content of a user message: a text, or blocks. */
export type UserContent = ReturnType<typeof userContent>;

/** The parts of the connection that a driver uses. */
export interface DriverParts {
  readonly control: Control;
  write(message: unknown): Promise<void>;
}
