import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Returns the request that resumes a session: its recorded settings, overridden by the given options. */
export function resumeRequest(info: SessionInfo, options: ResumeOptions): StartRequest {
  const { id, runtime, cwd, host, permissions, plan, reasoning, labels, name, project } = info;
  const { accountDir, attended, checkpoints, container, raw, limits, tools, trust, record } = info;
  const { onLimit, budget, systemPrompt, options: recorded } = info;
  const anew = Object.entries(options).filter(([, value]) => value !== undefined);
  const given = typeof options.model === "string" ? { id: options.model } : options.model;
  const model = given || info.model ? { model: { ...info.model, ...given } } : {};
  return {
    id,
    runtime,
    cwd,
    host,
    permissions,
    plan,
    labels,
    ...(name !== undefined && { name }),
    ...(project !== undefined && { project }),
    ...(reasoning !== undefined && { reasoning }),
    ...(container && { container }),
    ...(trust !== undefined && { trust }),
    ...(accountDir !== undefined && { accountDir }),
    ...(attended !== undefined && { attended }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(raw !== undefined && { raw }),
    ...(record !== undefined && { record }),
    ...(tools && { tools }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(limits && { limits }),
    ...(onLimit && { onLimit }),
    ...(budget && { budget }),
    ...(recorded && { options: recorded }),
    ...Object.fromEntries(anew),
    ...model,
  };
}

/**
 * Returns the policy, reasoning level, plan mode and model name in `options` that differ from those of the session, or
 * undefined if none differs.
 */
export function changesIn(
  info: SessionInfo,
  { permissions, reasoning, plan, model }: ResumeOptions,
): SessionChanges | undefined {
  const changes = {
    ...(permissions !== undefined && permissions !== info.permissions && { permissions }),
    ...(reasoning !== undefined && reasoning !== info.reasoning && { reasoning }),
    ...(plan !== undefined && plan !== info.plan && { plan }),
    ...(typeof model === "string" && model !== info.model?.id && { model }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/** Returns why a session cannot be resumed, as a clause for an error message. */
export function whyNotResumable({ runtimeSessionId, turns }: SessionInfo): string {
  if (turns === 0) return "it has had no turn, so the runtime has no record of it";
  if (runtimeSessionId === undefined) return "the runtime has not reported its own session id";
  return "the runtime has no record of it";
}
