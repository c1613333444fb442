import type { Connection } from "../contracts/adapter.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import type { SystemEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";

/** Describes why a runtime could not be stopped. */
export interface Unended {
  readonly warning: SystemEvent;
  /** Set if the host does not respond. The runtime keeps running and can be stopped later. */
  readonly unreachable: HalyardError | undefined;
}

/** Stops a runtime. Returns undefined if the runtime was stopped, otherwise the warning to log. Never rejects. */
export async function endRuntime(
  connection: Connection,
  runtime: RuntimeName,
): Promise<Unended | undefined> {
  try {
    await connection[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    const text = `Stopping ${runtime} failed: ${toErrorInfo(error).message}`;
    const isUnreachable = error instanceof HalyardError && error.code === "host_unavailable";
    return {
      warning: { type: "system", subtype: "warning", text },
      unreachable: isUnreachable ? error : undefined,
    };
  }
}
