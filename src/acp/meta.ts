import { z } from "zod";
import { parseInput } from "../errors/parse-input.ts";

/** The fields of `_meta.halyard` in requests. Clients that do not know them omit them. */
const HalyardMeta = z.object({
  /**
   * The last cursor that the client received: updates are then sent from this position on, instead of only new updates.
   */
  after: z.string().max(64).optional(),
  /** Identifies a prompt. A prompt that is sent again, for example after a reconnect, is delivered to the agent once. */
  messageId: z.string().min(1).max(200).optional(),
});
type HalyardMeta = z.output<typeof HalyardMeta>;

/** A request with the field for extensions, in either version of the protocol. */
export interface RequestMeta {
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Reads `_meta.halyard` of a request. */
export function readMeta({ _meta }: RequestMeta): HalyardMeta {
  return parseInput(HalyardMeta, _meta?.halyard ?? {});
}

/** Returns a `_meta` object that contains Halyard's fields. */
export function toMeta(fields: Readonly<Record<string, unknown>>) {
  return { _meta: { halyard: fields } };
}
