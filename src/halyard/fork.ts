import type { Halyard, Session } from "../contracts/halyard.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { parseInput } from "../errors/parse-input.ts";
import { ForkOptions } from "../schema/conversation/fork-options.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import { requireSession } from "./find-session.ts";
import { resumeRequest } from "./resume-request.ts";

/**
 * Starts a session that continues a copy of a conversation, even if the original session has ended. Halyard never
 * records keys, so the fork of a session that no process runs uses the runtime's own sign-in unless `options.model`
 * contains a key.
 * @example const session = await fork(halyard, "ses_0123456789abcdef", { name: "second try" });
 */
export async function fork(
  halyard: Halyard,
  id: string,
  options: ForkOptions = {},
): Promise<Session> {
  const info = await requireSession(halyard, id);
  const isHeld = liveStates.includes(info.state) && info.state !== "detached";
  if (isHeld) return (await halyard.session(info.id)).fork(options);
  return halyard.start(forkRequest(info, options));
}

/** Returns the request that forks a session. `request` is the request of a running session, with keys that `info` lacks. */
export function forkRequest(
  info: SessionInfo,
  input: ForkOptions,
  request: Partial<
    Pick<AskedRequest, "model" | "env" | "credentials" | "options" | "systemPrompt">
  > = {},
): StartRequest {
  const { model, options: added, ...changes } = parseInput(ForkOptions, input);
  const { id, name, record, ...settings } = resumeRequest(info, {});
  const { env, credentials, systemPrompt, options: own } = request;
  const options = { ...settings.options, ...own, ...added };
  const given = typeof model === "string" ? { id: model } : model;
  const endpoint = { ...info.model, ...request.model, ...given };
  return {
    ...settings,
    forkedFrom: info.id,
    ...(env && { env }),
    ...(credentials && { credentials }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(Object.keys(options).length > 0 && { options }),
    ...changes,
    ...(Object.keys(endpoint).length > 0 && { model: endpoint }),
  };
}
