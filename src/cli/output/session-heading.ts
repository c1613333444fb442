import type { SessionInfo } from "../../schema/session.ts";
import { cleanLine } from "../text/clean.ts";
import { abbreviateHome } from "../text/format.ts";

/**
 * Formats runtime, model, policy, host (unless it is `local`), directory and session:
 * `claude · claude-opus-4 · ask · ~/project · api (ses_…)`.
 */
export function sessionHeading(info: SessionInfo): string {
  const { id, name, runtime, model, permissions, plan, host, cwd } = info;
  const facts = [
    runtime,
    model?.id ?? "default model",
    plan ? `${permissions}, plan` : permissions,
    ...(host === "local" ? [] : [host]),
    abbreviateHome(cwd),
    name === undefined ? id : `${name} (${id})`,
  ];
  return facts.map(cleanLine).join(" · ");
}
