import { isRecord } from "../../wire/is-record.ts";
import { TurnUsage } from "./messages.ts";

/** The answer to a prompt: of version 1 once the turn is over, of version 2 once it has begun. */
export interface PromptAnswer {
  readonly stopReason: string | undefined;
  readonly messageId: string | undefined;
  readonly usage: TurnUsage | undefined;
}

/** Whatever it is: what it does not say is undefined. Without a schema but for what few agents tell, for a turn waits. */
export function readAnswer(result: unknown): PromptAnswer {
  const { stopReason, messageId, usage } = isRecord(result) ? result : {};
  return {
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
    messageId: typeof messageId === "string" ? messageId : undefined,
    usage: usage == null ? undefined : TurnUsage.safeParse(usage).data,
  };
}
