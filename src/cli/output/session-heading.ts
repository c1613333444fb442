import type { SessionInfo } from "../../schema/session.ts";
import { cleanLine } from "./clean.ts";
import { tilde } from "./words.ts";

/** `claude · claude-opus-4 · ask · ~/project · api (ses_…)`: runtime, model, policy, directory, session. */
export function sessionHeading(info: SessionInfo): string {
  const { id, name, runtime, model, permissions, plan, host, cwd } = info;
  const facts = [
    runtime,
    model?.id ?? "its own model",
    plan ? `${permissions}, plan` : permissions,
    ...(host === "local" ? [] : [host]),
    tilde(cwd),
    name === undefined ? id : `${name} (${id})`,
  ];
  return facts.map(cleanLine).join(" · ");
}
