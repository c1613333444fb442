import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { isOlder } from "../../core/program.ts";
import { withInstructions } from "../../core/project-instructions.ts";
import { OLDEST } from "./find.ts";
import { modeChange, ThreadAnswer, threadParams } from "./thread.ts";

export interface ThreadOpening {
  /** The model provider's name in Codex's settings. */
  readonly provider: string;
  ask(method: string, params: unknown): Promise<unknown>;
  notify(method: string): Promise<void>;
  /** Called when Codex is there, and has no thread yet. */
  onIntroduced?(): Promise<void>;
}

const InitializeAnswer = z.looseObject({ userAgent: z.string().default("") });

/** Introduces us, and starts the session's thread or goes on with the one to be resumed. The answer is its id and model. */
export async function openThread(
  request: ConnectRequest,
  opening: ThreadOpening,
): Promise<{ threadId: string; model?: string }> {
  const { ask, notify, provider } = opening;
  if (request.attach) return { threadId: await loadedThread(opening) };
  const { userAgent } = InitializeAnswer.parse(await ask("initialize", introduction));
  requireVersion(userAgent);
  await notify("initialized");
  await opening.onIntroduced?.();
  const systemPrompt = await withInstructions(request, INSTRUCTIONS);
  const instructed = { ...request, ...(systemPrompt !== undefined && { systemPrompt }) };
  const params = threadParams(instructed, provider);
  const { resume } = request;
  const answer = ThreadAnswer.parse(
    resume === undefined
      ? await ask("thread/start", params)
      : await ask("thread/resume", { ...params, threadId: resume, excludeTurns: true }).catch(
          explainResume(resume),
        ),
  );
  const { id: threadId } = answer.thread;
  if (resume !== undefined && threadId !== resume)
    throw new HalyardError("runtime_session_not_found", `Codex resumed ${threadId} instead`);
  const change = modeChange(request, answer);
  if (change) await ask("thread/settings/update", { threadId, ...change });
  return { threadId, model: answer.model };
}

/** What Codex leaves out of an untrusted project together with its configuration; the first that exists counts. */
const INSTRUCTIONS = ["AGENTS.override.md", "AGENTS.md"];

/** Whoever started Codex died before it knew the thread. */
async function loadedThread({ ask, notify }: ThreadOpening): Promise<string> {
  await ask("initialize", introduction).catch(() => {}); // has been done, more likely than not
  await notify("initialized");
  const { data } = LoadedThreads.parse(await ask("thread/loaded/list", {}));
  const [threadId] = data;
  if (threadId !== undefined) return threadId;
  throw new HalyardError("lost", "Codex runs, but the session had not been started in it");
}

const LoadedThreads = z.looseObject({ data: z.array(z.string()) });

const introduction = {
  clientInfo: { name: "halyard", title: "Halyard", version: "0" },
  capabilities: {
    experimentalApi: true,
    // What says nothing that something else does not say, and the longest of it.
    optOutNotificationMethods: [
      "account/rateLimits/updated",
      "remoteControl/status/changed",
      "thread/readState/changed",
      "thread/status/changed",
      "turn/diff/updated",
      "item/commandExecution/outputDelta",
    ],
  },
};

/** It begins with our name and Codex's version: `halyard/0.166.0 (…`. */
function requireVersion(userAgent: string): void {
  const version = /^[^/]*\/(\d+\.\d+\.\d+)/.exec(userAgent)?.[1];
  if (version === undefined || !isOlder(version, OLDEST)) return;
  const message = `this is Codex ${version}, and ${OLDEST} is the oldest that is known to work`;
  throw new HalyardError("runtime_unavailable", message);
}

/** Codex has one code for all its errors. */
function explainResume(resume: string): (error: unknown) => never {
  return (error) => {
    const message = reasonOf(error);
    if (/no rollout found|invalid (session|thread) id|not found/i.test(message))
      throw new HalyardError(
        "runtime_session_not_found",
        `Codex has no record of ${resume}: ${message}`,
        { cause: error },
      );
    if (/active writer/.test(message))
      throw new HalyardError("session_owned", message, { cause: error });
    throw error;
  };
}
