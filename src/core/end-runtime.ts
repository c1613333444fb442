import type { SystemEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Connection } from "./adapter.ts";
import { toErrorInfo } from "./error.ts";

/** Never rejects: the session of a runtime that cannot be ended ends all the same. The answer is what to tell of that. */
export async function endRuntime(
  connection: Connection,
  runtime: RuntimeName,
): Promise<SystemEvent[]> {
  try {
    await connection[Symbol.asyncDispose]();
    return [];
  } catch (error) {
    const text = `ending ${runtime}: ${toErrorInfo(error).message}`;
    return [{ type: "system", subtype: "warning", text }];
  }
}
