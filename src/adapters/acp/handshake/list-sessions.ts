import { realpath } from "node:fs/promises";
import { z } from "zod";
import { toTitle } from "../../../adapter-kit/records/user-records.ts";
import type { NativeSessionsRequest } from "../../../contracts/native-sessions.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { Environment } from "../../../programs/environment.ts";
import type { NativeSession } from "../../../schema/runtimes/native-session.ts";
import { commandIn, programFile, requireCommand, TOKEN_VARIABLE } from "../agent/agent-command.ts";
import { readOptions } from "../options.ts";
import type { Agreement } from "./agreement.ts";
import { withBriefAgent } from "./brief-agent.ts";
import type { SendRequest } from "./initialize.ts";
import { explain } from "./open-session.ts";

/** The agent whose sessions are listed. */
export interface ListedAgent {
  readonly runtime: string;
  readonly env: Environment;
  /** The default command line. The options of the request can set another one. */
  readonly command?: readonly string[];
}

/**
 * Starts an agent, lists its sessions with `session/list`, and terminates the agent. Throws `unsupported` if the agent
 * cannot list its sessions.
 */
export async function listSessions(
  request: NativeSessionsRequest,
  { runtime, env, command }: ListedAgent,
): Promise<NativeSession[]> {
  const options = readOptions(request);
  const [program, ...args] = requireCommand(commandIn(options) ?? command);
  const agent = {
    name: runtime,
    command: [programFile(program, request.cwd ?? "."), ...args],
    env: { ...env, ...request.env },
    passEnv: [
      ...options.passEnv,
      ...Object.keys(request.env),
      ...(options.url === undefined ? [] : [TOKEN_VARIABLE]),
    ],
    greetingMs: options.greetingMs,
    protocolVersion: options.protocolVersion,
  };
  return withBriefAgent(agent, request.host, async (agreement, send) => {
    if (agreement.listsSessions) return readPages(request, agreement, send);
    throw new HalyardError(
      "unsupported",
      `${agreement.agent} cannot list its sessions over ACP. If you know the id of a session, continue it with --from (in a request: continuedFrom).`,
    );
  });
}

const optionalText = z.string().nullish().catch(undefined);

const Page = z.looseObject({
  sessions: z.array(
    z.looseObject({
      sessionId: z.string(),
      cwd: optionalText,
      title: optionalText,
      updatedAt: optionalText,
    }),
  ),
  nextCursor: optionalText,
});
type Listed = z.infer<typeof Page>["sessions"][number];

/** The maximum number of pages. Without a maximum, an agent could return new cursors forever. */
const MAX_PAGES = 100;

/**
 * Requests pages until `limit` sessions match or no page is left. Filters by directory again, because agents may ignore
 * the parameter `cwd`.
 */
async function readPages(
  { cwd, id: prefix = "", limit, except }: NativeSessionsRequest,
  agreement: Agreement,
  send: SendRequest,
): Promise<NativeSession[]> {
  const directory = cwd === undefined ? undefined : await realpath(cwd).catch(() => cwd);
  const isWanted = ({ sessionId, cwd: found }: Listed) =>
    sessionId.startsWith(prefix) &&
    !except.has(sessionId) &&
    (directory === undefined || found == null || found === directory || found === cwd);
  const sessions = new Map<string, NativeSession>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = {
      ...(directory !== undefined && { cwd: directory }),
      ...(cursor && { cursor }),
    };
    const answer = await send("session/list", params).catch(
      explain(agreement, "list its sessions"),
    );
    const { sessions: listed, nextCursor } = Page.parse(answer);
    for (const one of listed.filter(isWanted)) sessions.set(one.sessionId, toSession(one));
    if (sessions.size >= limit || !nextCursor || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return [...sessions.values()].sort(byAge).slice(0, limit);
}

function toSession({ sessionId: id, cwd, title: named, updatedAt }: Listed): NativeSession {
  const title = toTitle(named ?? undefined);
  const time = Date.parse(updatedAt ?? "");
  return {
    id,
    ...(title !== undefined && { title }),
    ...(cwd && { cwd }),
    ...(!Number.isNaN(time) && { updatedAt: new Date(time).toISOString() }),
  };
}

/** Sorts the newest session first, because the protocol does not define an order. */
function byAge({ updatedAt: one = "" }: NativeSession, { updatedAt: other = "" }: NativeSession) {
  return other.localeCompare(one);
}
