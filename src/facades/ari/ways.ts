import { HalyardError } from "../../core/error.ts";
import type { InputWay } from "../../schema/runtime.ts";
import type { RuntimeReport } from "../../schema/runtime-info.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** Returns the way that messages take into the session. Rejects a way that the session does not have. */
export function wayInto(
  { host, runtime, input }: SessionInfo,
  report: RuntimeReport,
  asked: InputWay | undefined,
): InputWay {
  const { inputs: ways = ["rpc"] } = host === "tmux" ? (report.onScreen ?? {}) : report;
  const way = input ?? ways[0] ?? "rpc";
  // The pane of Codex belongs to a server, which takes its messages: the receipt states that.
  if (asked === undefined || asked === way || (asked === "tmux" && host === "tmux")) return way;
  const place = host === "tmux" ? "in tmux" : `on the ${host} host`;
  const hint = ways.includes(asked)
    ? ` Set "delivery": "${asked}" for ${runtime} in ~/.gastown/runtimes.json and start a new session.`
    : "";
  const message = `This session of ${runtime} ${place} takes messages by ${way}, not by ${asked}.${hint}`;
  throw new HalyardError("unsupported", message);
}
