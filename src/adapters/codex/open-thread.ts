import { z } from "zod";
import { withInstructions } from "../../adapter-kit/project-instructions.ts";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { isOlder } from "../../programs/program.ts";
import { OLDEST } from "./find.ts";
import { modeChange, ThreadResponse, threadParams } from "./thread.ts";

/** The parts of a connection that are needed to open a thread. */
export interface ThreadOpening {
  /** The model provider's name in Codex's settings. */
  readonly provider: string;
  call(method: string, params: unknown): Promise<unknown>;
  notify(method: string): Promise<void>;
  /** Called after the initialization, before a thread exists. */
  onInitialized?(): Promise<void>;
}

const InitializeResponse = z.looseObject({ userAgent: z.string().default("") });

/**
 * Initializes the server, and starts, resumes or forks the session's thread. After an attach, finds the loaded thread.
 * Returns the thread's id and, except after an attach, its model.
 */
export async function openThread(
  request: ConnectRequest,
  opening: ThreadOpening,
): Promise<{ threadId: string; model?: string }> {
  const { call, notify, provider } = opening;
  if (request.attach) return { threadId: await findLoadedThread(opening) };
  const { userAgent } = InitializeResponse.parse(await call("initialize", initializeParams));
  requireVersion(userAgent);
  await notify("initialized");
  await opening.onInitialized?.();
  const systemPrompt = await withInstructions(request, INSTRUCTIONS);
  const instructed = { ...request, ...(systemPrompt !== undefined && { systemPrompt }) };
  const params = threadParams(instructed, provider);
  const { resume, fork } = request;
  const from = resume ?? fork?.runtimeSessionId;
  const past = { ...params, threadId: from, excludeTurns: true };
  const answer = ThreadResponse.parse(
    from === undefined
      ? await call("thread/start", params)
      : await call(fork ? "thread/fork" : "thread/resume", past).catch(mapResumeError(from)),
  );
  const { id: threadId } = answer.thread;
  if (resume !== undefined && threadId !== resume)
    throw new HalyardError(
      "runtime_session_not_found",
      `Codex resumed session ${threadId} instead of session ${resume}. Start a new session.`,
    );
  const change = modeChange(request, answer);
  if (change) await call("thread/settings/update", { threadId, ...change });
  return { threadId, model: answer.model };
}

/** The instruction files that Codex ignores in an untrusted project. Halyard passes the files with the first name that exists. */
const INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md"];

/** Returns the loaded thread, for an attach to a server whose owner died before it stored the thread's id. */
async function findLoadedThread({ call, notify }: ThreadOpening): Promise<string> {
  await call("initialize", initializeParams).catch(() => {}); // fails if the server is already initialized
  await notify("initialized");
  const { data } = LoadedThreads.parse(await call("thread/loaded/list", {}));
  const [threadId] = data;
  if (threadId !== undefined) return threadId;
  throw new HalyardError(
    "lost",
    "Codex is running, but the session was never opened in it. Start a new session.",
  );
}

const LoadedThreads = z.looseObject({ data: z.array(z.string()) });

/** The parameters of the `initialize` request. */
export const initializeParams = {
  clientInfo: { name: "halyard", title: "Halyard", version: "0" },
  capabilities: {
    experimentalApi: true,
    // These notifications are redundant or very long.
    optOutNotificationMethods: [
      "remoteControl/status/changed",
      "thread/readState/changed",
      "thread/status/changed",
      "turn/diff/updated",
      "item/commandExecution/outputDelta",
    ],
  },
};

/**
 * Throws `runtime_unavailable` if Codex is too old. The user agent starts with the client's name and Codex's version:
 * `halyard/0.166.0 (…`.
 */
function requireVersion(userAgent: string): void {
  const version = /^[^/]*\/(\d+\.\d+\.\d+)/.exec(userAgent)?.[1];
  if (version === undefined || !isOlder(version, OLDEST)) return;
  const message = `Codex ${version} is too old: ${OLDEST} is the oldest supported version. Run "halyard runtime install codex".`;
  throw new HalyardError("runtime_unavailable", message);
}

/** Maps a resume error by its message, because Codex uses one code for all errors. */
function mapResumeError(resume: string): (error: unknown) => never {
  return (error) => {
    const message = reasonOf(error);
    if (/no rollout found|invalid (session|thread) id|not found/i.test(message))
      throw new HalyardError(
        "runtime_session_not_found",
        `Codex has no record of session ${resume} (${message}). Start a new session.`,
        { cause: error },
      );
    if (/active writer/.test(message))
      throw new HalyardError(
        "session_owned",
        `Codex session ${resume} is open in another Codex process: ${message}. Close that process, and resume the session again.`,
        { cause: error },
      );
    throw error;
  };
}
