import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { effortOf, type ModelSource, modelId } from "./model.ts";
import { type ModelSettings, settingsOf } from "./session-settings.ts";
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

/** What is skipped from the start Droid would never ask for again: how much is allowed is for the settings to say. */
async function begin({ request, source, call }: Opening): Promise<string> {
  const { sessionId } = Opened.parse(
    await call("initialize_session", {
      machineId: "halyard",
      cwd: request.cwd,
      skipPermissionsUnsafe: false,
      ...settingsOf(request, modelOf(request, source)),
    }),
  );
  return sessionId;
}

async function load({ request, source, call }: Opening, sessionId: string): Promise<string> {
  await call("load_session", { sessionId });
  await call("update_session_settings", settingsOf(request, modelOf(request, source)));
  return sessionId;
}

function modelOf({ reasoning }: ConnectRequest, source: ModelSource): ModelSettings {
  return { id: modelId(source), effort: effortOf(source, reasoning) };
}
