import type { Control } from "./control.ts";
import type { ControlRequest } from "./messages.ts";

/** How a running Claude Code is spoken to: in its own protocol, or through its SDK. */
export interface Driver {
  /** Resolves once Claude takes messages. */
  initialize(): Promise<void>;
  say(uuid: string, text: string): Promise<void>;
  /** Answers an ask, in Claude's words. */
  reply(nativeId: string, reply: Record<string, unknown>): Promise<void>;
  /** Claude asks for something that no person can give. */
  refuse(request: ControlRequest): void;
  /** Lets go of Claude, whether it runs on or not. */
  close(): void;
}

/** What a driver may use of the connection it belongs to. */
export interface DriverParts {
  readonly control: Control;
  write(message: unknown): Promise<void>;
}
