import { isRecord } from "../../../wire/is-record.ts";
import { AcpTurnUsage } from "../messages.ts";

/** The response to a prompt. It arrives at the end of the turn in version 1, and at the start in version 2. */
export interface PromptResponse {
  readonly stopReason: string | undefined;
  readonly messageId: string | undefined;
  readonly usage: AcpTurnUsage | undefined;
}

/** Reads the response to a prompt. Accepts any value, so that a malformed response still ends the turn. */
export function readPromptResponse(result: unknown): PromptResponse {
  const { stopReason, messageId, usage } = isRecord(result) ? result : {};
  return {
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
    messageId: typeof messageId === "string" ? messageId : undefined,
    usage: usage == null ? undefined : AcpTurnUsage.safeParse(usage).data,
  };
}
