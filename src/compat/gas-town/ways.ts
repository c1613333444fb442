import { HalyardError } from "../../errors/error.ts";
import type { InputWay } from "../../schema/runtime.ts";
import type { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** Returns a session's delivery method. Throws `unsupported` if `asked` is neither this method nor an alias of it. */
export function wayInto(
  { host, runtime, input }: SessionInfo,
  report: RuntimeReport,
  asked: InputWay | undefined,
): InputWay {
  const { inputs: ways = ["rpc"], inputAliases: aliases = {} } =
    host === "tmux" ? (report.onScreen ?? {}) : report;
  const way = input ?? ways[0] ?? "rpc";
  if (asked === undefined || asked === way || aliases[asked] === way) return way;
  const location = host === "tmux" ? "in tmux" : `on the ${host} host`;
  const hint = ways.includes(asked)
    ? ` Set "delivery": "${asked}" for ${runtime} in ~/.gastown/runtimes.json and start a new session.`
    : ` Omit "delivery" or set it to "${way}".`;
  const message = `This session of ${runtime} ${location} receives messages through ${way}, not through ${asked}.${hint}`;
  throw new HalyardError("unsupported", message);
}
