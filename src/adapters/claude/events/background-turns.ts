import { z } from "zod";
import { type EventDraft, type Mapper, raw } from "../../../contracts/event-draft.ts";

/**
 * Separates the turns that Claude starts on its own from the session's turns when a native log is mapped. Claude starts
 * such a turn when a background task ends, and only the turn's `result` identifies it. Drafts are therefore held back
 * until the `result` arrives. If the `result` identifies a background turn, the drafts become `system/raw` drafts
 * outside the session's turns. Otherwise, the drafts are released unchanged.
 */
export function separateBackgroundTurns(mapper: Mapper): Mapper {
  /** The number of background tasks whose turn has not run yet. */
  let tasks = 0;
  let held: { native: unknown; drafts: EventDraft[] }[] | undefined;

  const release = (): EventDraft[] => {
    const drafts = held?.flatMap((one) => one.drafts) ?? [];
    held = undefined;
    return drafts;
  };

  return {
    map(native) {
      const drafts = mapper.map(native);
      const { data: marker } = Marker.safeParse(native);
      if (marker?.subtype === "task_started" && marker.is_backgrounded === true) tasks++;
      if (marker?.subtype === "init" && tasks > 0 && held === undefined) held = [];
      if (held === undefined) return drafts;
      held.push({ native, drafts });
      if (marker?.type !== "result") return [];
      if (marker.origin?.kind !== "task-notification") return release();
      tasks--;
      const separated = held.flatMap(toRawDrafts);
      held = undefined;
      return separated;
    },
    flush: () => [...release(), ...mapper.flush()],
  };
}

const Marker = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  is_backgrounded: z.boolean().optional(),
  origin: z.looseObject({ kind: z.string() }).optional(),
});

/**
 * Replaces a native message's drafts with one raw draft. Keeps the drafts if all are system drafts. Omits the drafts if
 * all are deltas, because the complete message follows.
 */
function toRawDrafts({ native, drafts }: { native: unknown; drafts: EventDraft[] }): EventDraft[] {
  if (drafts.every(({ type }) => type === "system")) return drafts;
  if (drafts.every(({ type }) => type === "delta")) return [];
  return [raw(native)];
}
