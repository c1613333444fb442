import type { ConnectionSettings, ConnectRequest } from "../../../contracts/adapter.ts";
import { policySettings } from "../policy.ts";
import { limitTools } from "../tool-lists.ts";
import { droidHome, offerModel } from "./home.ts";

/** The model settings to change. An undefined value leaves a setting unchanged. */
export interface ModelSettings {
  readonly id: string | undefined;
  readonly effort: string | undefined;
}

/** Builds Droid's session settings for a request. */
export function settingsOf(
  request: Pick<ConnectRequest, "permissions" | "plan">,
  { id, effort }: ModelSettings,
): Record<string, unknown> {
  return {
    ...(id !== undefined && { modelId: id, specModeModelId: id }),
    ...(effort !== undefined && { reasoningEffort: effort, specModeReasoningEffort: effort }),
    ...policySettings(request),
  };
}

/** Applies settings to a running session. Returns the request with these settings. */
export async function changeSession(
  before: ConnectRequest,
  { model: id, ...policy }: ConnectionSettings,
  {
    sessionId,
    call,
  }: { sessionId: string; call(method: string, params: unknown): Promise<unknown> },
): Promise<ConnectRequest> {
  const request = { ...before, ...policy, ...(id && { model: { ...before.model, id } }) };
  const { model, reasoning } = request;
  const isSame = id === undefined && policy.reasoning === undefined;
  const offered = isSame
    ? undefined
    : await offerModel(droidHome(request.stateDir), model?.id, reasoning);
  // Droid reads new models only when it loads a session. Loading does not interrupt the current turn.
  if (offered) await call("load_session", { sessionId });
  const chosen = offered ?? { id, effort: policy.reasoning };
  await call("update_session_settings", settingsOf(request, chosen));
  await limitTools({ request, call });
  return request;
}
