import { z } from "zod";
import { parseInput } from "../errors/parse-input.ts";

/** The fields of `_meta.halyard` in requests. All are optional, because most clients do not know them. */
const HalyardMeta = z.object({
  /**
   * The last cursor that the client received. Only updates after this position are sent. If omitted, `session/load`, or
   * `session/resume` with `replayFrom`, sends all updates, and `session/resume` alone sends only new updates.
   */
  after: z.string().max(64).optional(),
  /** Identifies a prompt. If the client sends the prompt again after a reconnect, the agent still receives it once. */
  messageId: z.string().min(1).max(200).optional(),
});
type HalyardMeta = z.output<typeof HalyardMeta>;

/** A request with the extension field, in either protocol version. */
export interface RequestMeta {
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Reads Halyard's fields from a request's `_meta`. Throws `invalid_input` if they do not match the schema. */
export function readMeta({ _meta }: RequestMeta): HalyardMeta {
  return parseInput(HalyardMeta, _meta?.halyard ?? {});
}

/** Returns a `_meta` object that contains Halyard's fields. */
export function toMeta(fields: Readonly<Record<string, unknown>>) {
  return { _meta: { halyard: fields } };
}
