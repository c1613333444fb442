import { HalyardError } from "../../core/error.ts";
import type { InputWay } from "../../schema/runtime.ts";
import type { RuntimeReport } from "../../schema/runtime-info.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** The way by which a message reaches the session's runtime; rejects a way that the runtime does not have there. */
export function wayInto(
  { host, runtime }: SessionInfo,
  report: RuntimeReport,
  asked: InputWay | undefined,
): InputWay {
  const { inputs: ways = ["rpc"] } = host === "tmux" ? (report.onScreen ?? {}) : report;
  const [usual = "rpc"] = ways;
  // A runtime whose pane belongs to a server of its own gets it by that server, and the receipt says so.
  if (asked === undefined || (asked === "tmux" && host === "tmux")) return usual;
  if (ways.includes(asked)) return asked;
  const message = `${runtime} on the ${host} host gets messages by ${ways.join(" or ")}, not by ${asked}`;
  throw new HalyardError("unsupported", message);
}
