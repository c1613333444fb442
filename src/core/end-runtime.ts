import type { SystemEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Connection } from "./adapter.ts";
import { HalyardError, toErrorInfo } from "./error.ts";

/** A runtime that could not be ended. */
export interface Unended {
  readonly warning: SystemEvent;
  /** Set if its host does not answer: the runtime runs on, and can be ended later. */
  readonly unreachable: HalyardError | undefined;
}

/** Ends a runtime. Never rejects; returns undefined if it has ended. */
export async function endRuntime(
  connection: Connection,
  runtime: RuntimeName,
): Promise<Unended | undefined> {
  try {
    await connection[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    const text = `ending ${runtime}: ${toErrorInfo(error).message}`;
    const isAway = error instanceof HalyardError && error.code === "host_unavailable";
    return {
      warning: { type: "system", subtype: "warning", text },
      unreachable: isAway ? error : undefined,
    };
  }
}
