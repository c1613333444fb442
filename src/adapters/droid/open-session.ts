import { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { type ModelSettings, settingsOf } from "./files/session-settings.ts";
import { effortOf, type ModelSource, modelId } from "./model.ts";
import { limitTools } from "./tool-lists.ts";

export interface SessionOpening {
  readonly request: ConnectRequest;
  readonly source: ModelSource;
  call(method: string, params: unknown): Promise<unknown>;
  /** The session id of Droid's last notification. */
  reportedSessionId(): string | undefined;
}

const Opened = z.looseObject({ sessionId: z.string() });

/**
 * Creates, loads or forks a Droid session and returns its id. Throws `runtime_session_not_found` if Droid does not know
 * the session or loads another session, and `start_failed` if Droid rejects a call for another reason.
 */
export async function openSession(opening: SessionOpening): Promise<string> {
  try {
    const { resume } = opening.request;
    const past = resume ?? (await forked(opening));
    const id = await (past === undefined ? begin(opening) : load(opening, past));
    await limitTools(opening);
    // Without a title, Droid would request one from the model during the first turn, which would cost the user money.
    await opening.call("rename_session", { title: "Halyard" });
    const reported = opening.reportedSessionId();
    if (reported === id || resume === undefined) return id;
    throw notFound(
      `Droid loaded ${reported ?? "no session"} instead of session ${id}. Start a new session.`,
    );
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    const reason = sentence(error.message);
    if (error.code === NOT_FOUND)
      throw notFound(`Droid does not know the session: ${reason} Start a new session.`);
    const message = `Droid cannot open a session: ${reason} Run "halyard runtime doctor droid" to check Droid.`;
    throw new HalyardError("start_failed", message, { cause: error });
  }
}

/** Droid's error code for an unknown session id. */
const NOT_FOUND = -32004;

function notFound(message: string): HalyardError {
  return new HalyardError("runtime_session_not_found", message);
}

/**
 * Creates a session. `skipPermissionsUnsafe` stays false because, unlike the settings, it could not be turned off
 * later.
 */
async function begin({ request, source, call }: SessionOpening): Promise<string> {
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

/** Copies the conversation that the session forks, and returns the copy's id. Returns undefined without a fork. */
async function forked({ request: { fork }, call }: SessionOpening): Promise<string | undefined> {
  if (fork === undefined) return undefined;
  await call("load_session", { sessionId: fork.runtimeSessionId });
  return Forked.parse(await call("fork_session", {})).newSessionId;
}

const Forked = z.looseObject({ newSessionId: z.string() });

async function load({ request, source, call }: SessionOpening, sessionId: string): Promise<string> {
  await call("load_session", { sessionId });
  await call("update_session_settings", settingsOf(request, modelOf(request, source)));
  return sessionId;
}

function modelOf({ reasoning }: ConnectRequest, source: ModelSource): ModelSettings {
  return { id: modelId(source), effort: effortOf(source, reasoning) };
}
