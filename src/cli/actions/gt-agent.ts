import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import { createAgentRuntime } from "../../facades/ari/index.ts";
import { SessionId } from "../../schema/id.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { openHalyard } from "../open-halyard.ts";
import { readResumeOptions, readStartRequest, type SessionFlags } from "../start-request.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { viewSession } from "../view-session.ts";

export interface GtAgentOptions extends SessionFlags {
  /** The session to go on with: its id, or the runtime's own for it. */
  readonly resume?: string;
}

/** An agent in a pane of Gas Town's: it lives as long as the pane, and takes what is typed there. */
export async function gtAgent(
  prompt: string | undefined,
  { resume, ...flags }: GtAgentOptions,
): Promise<number> {
  const terminal = openTerminal();
  if (!terminal.isAttended || !terminal.out.isTerminal)
    throw new HalyardError("invalid_input", "gt agent is for a pane; `halyard run` needs none");
  const ending = new AbortController();
  for (const signal of ["SIGHUP", "SIGTERM"]) process.once(signal, () => ending.abort());
  await using halyard = await openHalyard(terminal, { isReachable: true });
  const id =
    resume === undefined
      ? await start(halyard, prompt, flags, terminal)
      : await goOn(halyard, resume, prompt, flags, terminal);
  const session = await halyard.session(id);
  const { openedAfter: after } = session;
  await viewSession(halyard, session, terminal, { after, signal: ending.signal });
  return 0;
}

async function start(
  halyard: Halyard,
  initialPrompt: string | undefined,
  flags: SessionFlags,
  terminal: Terminal,
): Promise<SessionId> {
  const { cwd, runtime, model, permissions } = await readStartRequest(flags, terminal);
  const { sessionID } = await createAgentRuntime({ halyard }).start({
    workDir: cwd,
    env: townEnvironment(terminal),
    ...(runtime !== undefined && { runtimeName: runtime }),
    ...(model !== undefined && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(initialPrompt !== undefined && { initialPrompt }),
  });
  return SessionId.parse(sessionID);
}

/**
 * The variables of the town: the session's part in it, and how its tools find their way. A `GT_SESSION_ID` of the pane is
 * left over from the session that ran `gt`.
 */
function townEnvironment({ env }: Terminal): Record<string, string> {
  const ours = Object.entries(env).filter(
    ([name]) => /^(GT|BD|BEADS)_/.test(name) && name !== "GT_SESSION_ID",
  );
  return Object.fromEntries(ours.map(([name, value = ""]) => [name, value]));
}

async function goOn(
  halyard: Halyard,
  text: string,
  prompt: string | undefined,
  flags: SessionFlags,
  terminal: Terminal,
): Promise<SessionId> {
  const info = (await byRuntimeId(halyard, text)) ?? (await findSession(halyard, text));
  const { id, runtime, cwd: workDir, createdAt: startedAt } = info;
  const handle = { runtime, sessionID: id, workDir, startedAt };
  const { model } = await readResumeOptions(flags, info, terminal);
  const agents = createAgentRuntime({ halyard });
  await agents.resume(handle, { env: townEnvironment(terminal), ...(model && { model }) });
  if (prompt !== undefined) await agents.sendMessage(handle, { text: prompt });
  return id;
}

/** Gas Town keeps whichever id it heard of last. */
async function byRuntimeId(halyard: Halyard, text: string): Promise<SessionInfo | undefined> {
  return (await halyard.sessions()).find(({ runtimeSessionId }) => runtimeSessionId === text);
}
