import { z } from "zod";
import { type EventDraft, type Mapper, raw } from "../../core/draft.ts";

/**
 * For recordings. A task in the background makes Claude begin a turn of its own once it has ended, and only the end
 * of that turn says so: until then it is held back, to be kept as something that belongs to no turn of ours.
 */
export function setBackgroundTurnsApart(mapper: Mapper): Mapper {
  /** Tasks that have not had their turn yet. */
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
      const { data: sign } = Sign.safeParse(native);
      if (sign?.subtype === "task_started" && sign.is_backgrounded === true) tasks++;
      if (sign?.subtype === "init" && tasks > 0 && held === undefined) held = [];
      if (held === undefined) return drafts;
      held.push({ native, drafts });
      if (sign?.type !== "result") return [];
      if (sign.origin?.kind !== "task-notification") return release();
      tasks--;
      const apart = held.flatMap(setApart);
      held = undefined;
      return apart;
    },
    flush: () => [...release(), ...mapper.flush()],
  };
}

const Sign = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  is_backgrounded: z.boolean().optional(),
  origin: z.looseObject({ kind: z.string() }).optional(),
});

/** The pieces of a message are left out, for the whole of it follows. */
function setApart({ native, drafts }: { native: unknown; drafts: EventDraft[] }): EventDraft[] {
  if (drafts.every(({ type }) => type === "system")) return drafts;
  if (drafts.every(({ type }) => type === "delta")) return [];
  return [raw(native)];
}
