import type { SendOptions } from "../../contracts/turn.ts";
import type { Attachment } from "../../schema/attachment.ts";
import type { TurnId } from "../../schema/id.ts";
import { AnswerCheck } from "../answers/answer-check.ts";
import type { AnswerSchema } from "../answers/answer-schema.ts";
import type { SessionParts } from "../session-parts.ts";
import { OpenTurn } from "./open-turn.ts";

/** The contents of a new turn. */
export interface NewTurn {
  readonly id: TurnId;
  readonly text: string;
  readonly options: Pick<SendOptions, "timeoutMs" | "traceparent">;
  readonly attachments?: readonly Attachment[];
  readonly answer?: AnswerSchema | undefined;
  readonly isCompaction?: boolean;
}

/** Creates a turn that waits to be started. */
export function newTurn(
  { clock, redactor, log, limits, estimate }: SessionParts,
  { id, text, options, attachments = [], answer, isCompaction = false }: NewTurn,
): OpenTurn {
  const { lastSeq: after, fallback } = log.info;
  const { timeoutMs = limits.turnMs, traceparent } = options;
  const hasOwnLimit = options.timeoutMs !== undefined;
  const check = answer && new AnswerCheck(answer);
  const parts = { clock, redactor, timeoutMs, hasOwnLimit, after, fallback, attachments };
  return new OpenTurn(id, text, { ...parts, check, isCompaction, estimate, traceparent });
}
