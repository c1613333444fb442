import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { skipsPermissions } from "./command.ts";
import { effortOf, type ModelSource, modelId } from "./model.ts";
import { changingTools } from "./plan.ts";
import { limitTools } from "./tool-lists.ts";

export interface Opening {
  readonly request: ConnectRequest;
  readonly source: ModelSource;
  call(method: string, params: unknown): Promise<unknown>;
  /** The session that Droid last spoke of. */
  spokenOf(): string | undefined;
}

const Opened = z.looseObject({ sessionId: z.string() });

/** Begins a session of Droid's, or loads one, and gives its id once Droid itself has named it. */
export async function openSession(opening: Opening): Promise<string> {
  try {
    const { resume } = opening.request;
    const id = await (resume === undefined ? begin(opening) : load(opening, resume));
    await limitTools(opening);
    // A session with a title is not given one by the model, at the user's cost, in the middle of its first turn.
    await opening.call("rename_session", { title: "Halyard" });
    const named = opening.spokenOf();
    if (named === id || resume === undefined) return id;
    throw notFound(`Droid was asked for ${id} and speaks of ${named ?? "no session"}`);
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    if (error.code === NOT_FOUND) throw notFound(error.message);
    throw new HalyardError("start_failed", error.message, { cause: error });
  }
}

/** What Droid says to an id it does not know. */
const NOT_FOUND = -32004;

function notFound(message: string): HalyardError {
  return new HalyardError("runtime_session_not_found", message);
}

async function begin(opening: Opening): Promise<string> {
  const { request, call } = opening;
  const { sessionId } = Opened.parse(
    await call("initialize_session", {
      machineId: "halyard",
      cwd: request.cwd,
      skipPermissionsUnsafe: skipsPermissions(request),
      ...settingsOf(opening),
    }),
  );
  return sessionId;
}

async function load(opening: Opening, sessionId: string): Promise<string> {
  await opening.call("load_session", { sessionId });
  await opening.call("update_session_settings", settingsOf(opening));
  return sessionId;
}

function settingsOf({ request, source }: Opening): Record<string, unknown> {
  const id = modelId(source);
  const effort = effortOf(source, request.reasoning);
  return {
    ...(id !== undefined && { modelId: id, specModeModelId: id }),
    ...(effort !== undefined && { reasoningEffort: effort, specModeReasoningEffort: effort }),
    interactionMode: request.plan ? "spec" : "auto",
    autonomyLevel: skipsPermissions(request) ? "high" : "off",
    disabledToolIds: request.plan ? changingTools : [],
  };
}
