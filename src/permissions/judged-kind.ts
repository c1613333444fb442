import type { RequestDraft } from "../contracts/event-draft.ts";
import type { ToolKind } from "../schema/permission.ts";

/**
 * Returns the kind by which a request is judged. Some agents report a shell command such as `cat x` as reading, or
 * report no kind. A request with a command is `execute`, unless the agent reports an edit or a fetch.
 */
export function judgedKind({ tool, command }: Pick<RequestDraft, "tool" | "command">): ToolKind {
  const { kind = "other", input } = tool ?? {};
  if (kind === "execute" || kind === "edit" || kind === "fetch") return kind;
  return command !== undefined || isCommand(input) ? "execute" : kind;
}

/** True for a list of words or a command line. A single word beside a path is a file tool's verb, such as `view`. */
function isCommand(input: unknown): boolean {
  if (typeof input !== "object" || input === null) return false;
  return ["command", "cmd"].some((name) => {
    const value: unknown = Reflect.get(input, name);
    if (typeof value === "string") return /\s/.test(value.trim()) || !("path" in input);
    return value !== undefined && value !== null;
  });
}
