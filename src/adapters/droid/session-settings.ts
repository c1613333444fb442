import type { ConnectRequest, Settings } from "../../core/adapter.ts";
import { droidHome, offerModel } from "./home.ts";
import { policySettings } from "./policy.ts";
import { limitTools } from "./tool-lists.ts";

/** Which model a session is to use, as far as it is not to stay what it is. */
export interface ModelSettings {
  readonly id: string | undefined;
  readonly effort: string | undefined;
}

/** How a session is to be, in Droid's words. */
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

/** Changes a session that runs, and gives what it was asked for by then. */
export async function changeSession(
  before: ConnectRequest,
  { model: id, ...policy }: Settings,
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
  // Droid comes to know a model that was added when it loads a session, and goes on with what it does.
  if (offered) await call("load_session", { sessionId });
  const chosen = offered ?? { id, effort: policy.reasoning };
  await call("update_session_settings", settingsOf(request, chosen));
  await limitTools({ request, call });
  return request;
}
