import { viewSession } from "../../../cli/attach/view-session.ts";
import { type Console, openConsole } from "../../../cli/console/console.ts";
import { openHalyard } from "../../../cli/open-halyard.ts";
import {
  readResumeOptions,
  readStartRequest,
  type SessionFlags,
} from "../../../cli/start-request.ts";
import type { Halyard } from "../../../contracts/halyard.ts";
import { HalyardError } from "../../../errors/error.ts";
import { findSession } from "../../../halyard/find-session.ts";
import { SessionId } from "../../../schema/id.ts";
import type { SessionInfo } from "../../../schema/session.ts";
import { createAgentRuntime } from "../index.ts";

export interface GtAgentOptions extends SessionFlags {
  /** The session to resume: its id, or the runtime's own id. */
  readonly resume?: string;
}

/** Runs an agent in a Gas Town pane. Typed lines are messages, and the agent stops when the pane closes. */
export async function gtAgent(
  prompt: string | undefined,
  { resume, ...flags }: GtAgentOptions,
): Promise<number> {
  const console = openConsole();
  if (!console.isAttended || !console.out.isTTY)
    throw new HalyardError(
      "invalid_input",
      '"halyard gt agent" needs a console. Without one, run "halyard run PROMPT".',
    );
  const closing = new AbortController();
  for (const signal of ["SIGHUP", "SIGTERM"]) process.once(signal, () => closing.abort());
  await using halyard = await openHalyard(console, { isReachable: true });
  const id =
    resume === undefined
      ? await start(halyard, prompt, flags, console)
      : await resumeSession(halyard, resume, prompt, flags, console);
  const session = await halyard.session(id);
  const { openedAfter: after } = session;
  await viewSession(halyard, session, console, { after, signal: closing.signal });
  return 0;
}

async function start(
  halyard: Halyard,
  initialPrompt: string | undefined,
  flags: SessionFlags,
  console: Console,
): Promise<SessionId> {
  const { cwd, runtime, model, permissions } = await readStartRequest(flags, console);
  const { sessionID } = await createAgentRuntime({ halyard }).start({
    workDir: cwd,
    env: townEnvironment(console),
    ...(runtime !== undefined && { runtimeName: runtime }),
    ...(model !== undefined && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(initialPrompt !== undefined && { initialPrompt }),
  });
  return SessionId.parse(sessionID);
}

/**
 * Returns Gas Town's and beads' variables from the environment, except `GT_SESSION_ID`, which belongs to the session
 * that ran `gt`.
 */
function townEnvironment({ env }: Console): Record<string, string> {
  const variables = Object.entries(env).filter(
    ([name]) => /^(GT|BD|BEADS)_/.test(name) && name !== "GT_SESSION_ID",
  );
  return Object.fromEntries(variables.map(([name, value = ""]) => [name, value]));
}

async function resumeSession(
  halyard: Halyard,
  text: string,
  prompt: string | undefined,
  flags: SessionFlags,
  console: Console,
): Promise<SessionId> {
  const info = (await byRuntimeId(halyard, text)) ?? (await findSession(halyard, text));
  const { id, runtime, cwd: workDir, createdAt: startedAt } = info;
  const handle = { runtime, sessionID: id, workDir, startedAt };
  const { model } = await readResumeOptions(flags, info, console);
  const agents = createAgentRuntime({ halyard });
  await agents.resume(handle, { env: townEnvironment(console), ...(model && { model }) });
  if (prompt !== undefined) await agents.sendMessage(handle, { text: prompt });
  return id;
}

/**
 * Finds a session by the runtime's own id. Gas Town stores the last id that it received, which may be the runtime's.
 */
async function byRuntimeId(halyard: Halyard, text: string): Promise<SessionInfo | undefined> {
  return (await halyard.sessions()).find(({ runtimeSessionId }) => runtimeSessionId === text);
}
