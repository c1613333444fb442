import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { requestNotOpen } from "../../errors/request-not-open.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import type { Answer } from "../../schema/permission.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { answerCommands } from "../permission-prompt/answer-commands.ts";
import { chooseOption, decide, parseReply } from "../permission-prompt/reply.ts";
import { requestLines } from "../permission-prompt/request-lines.ts";
import { cleanLine } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { formatDuration } from "../text/format.ts";

export interface RequestsOptions {
  readonly format: "text" | "json";
}

export async function requests(
  session: string | undefined,
  { format }: RequestsOptions,
): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const only = session === undefined ? undefined : (await findSession(halyard, session)).id;
  const open = (await listOpen(halyard)).filter(
    ({ sessionId }) => (only ?? sessionId) === sessionId,
  );
  for (const request of open)
    await out.write(
      format === "json"
        ? `${JSON.stringify(request)}\n`
        : `${describe(request, out.colors).join("\n")}\n\n`,
    );
  if (open.length === 0 && format === "text") await err.write("No open requests.\n");
  throwIfUnwritable(console);
  return 0;
}

function describe(request: OpenRequest, colors: Colors): string[] {
  const { requestId, sessionId, sessionName, expiresAt } = request;
  const title = cleanLine(sessionName === undefined ? sessionId : `${sessionName} (${sessionId})`);
  const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
  const left = leftMs === undefined ? [] : [`denied in ${formatDuration(Math.max(0, leftMs))}`];
  return [
    `${colors.bold(title)} ${colors.dim(["", requestId, ...left].join(" · ").trim())}`,
    ...requestLines(request, colors),
    ...answerCommands(request).map((command) => colors.dim(`  ${command}`)),
  ];
}

/** Answers a request with a decision and its reason, or with a reply in the form that the prompt accepts. */
export async function answer(text: string, reply: readonly string[]): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemon(console, { hosts: true });
  const request = await findRequest(halyard, text);
  const given = toAnswer(request, reply);
  const session = await halyard.session(request.sessionId);
  await session.answer(request.requestId, given);
  const rule = request.options.find(({ id }) => id === given.optionId)?.rule;
  const more = given.decision === "deny" ? given.text : rule && `from now on also ${rule.text}`;
  const reason = more ? `: ${cleanLine(more)}` : "";
  await console.err.write(
    `${request.requestId}: ${given.decision === "allow" ? "allowed" : "denied"}${reason}\n`,
  );
  return 0;
}

/** Parses `allow` or `deny` with a text, or a reply such as `y`, `n`, `no, use /tmp instead`, or a number. */
function toAnswer(request: OpenRequest, [first = "", ...rest]: readonly string[]): Answer {
  const more = rest.join(" ").trim();
  if (first === "allow" || first === "deny") {
    const option = request.kind === "question" ? chooseOption(request, more) : undefined;
    if (option) return { decision: first, optionId: option.id };
    if (first === "allow" && more !== "" && request.kind !== "question")
      throw new HalyardError(
        "invalid_input",
        `"allow" does not accept text for this request. Run "halyard answer ${request.requestId} allow" to allow it, or "halyard answer ${request.requestId} no REASON" to deny it.`,
      );
    return { ...decide(request, first), ...(more !== "" && { text: more }) };
  }
  const reply = parseReply([first, ...rest].join(" "), request);
  if (reply?.kind === "answer") return reply.answer;
  throw new HalyardError(
    "invalid_input",
    `The answer "${[first, ...rest].join(" ")}" is unclear, so the request is still open. Use yes, no or "no, REASON" or, if the request offers them, always or the number of an option.`,
  );
}

type OpenRequest = RequestEvent & {
  readonly sessionId: SessionId;
  readonly sessionName?: string;
};

async function listOpen(halyard: Halyard): Promise<OpenRequest[]> {
  const sessions = await halyard.sessions({ states: liveStates });
  return sessions.flatMap(({ id: sessionId, name, openRequests }) =>
    openRequests.map((request) => ({
      ...request,
      sessionId,
      ...(name !== undefined && { sessionName: name }),
    })),
  );
}

/** Finds an open request by the start of its id, with or without `req_`. Throws unless exactly one request matches. */
async function findRequest(halyard: Halyard, text: string): Promise<OpenRequest> {
  const prefix = text.startsWith("req_") ? text : `req_${text}`;
  if (prefix.length < "req_".length + MIN_ID_CHARS)
    throw new HalyardError(
      "invalid_input",
      `"${text}" does not identify a request: type at least ${MIN_ID_CHARS} characters of its id after "req_". Run "halyard requests" to list open requests.`,
    );
  const open = await listOpen(halyard);
  const found = open.filter(({ requestId }) => requestId.startsWith(prefix));
  const [request, second] = found;
  if (request && !second) return request;
  if (request)
    throw new HalyardError(
      "invalid_input",
      [
        `"${text}" matches ${found.length} requests. Use a longer prefix:`,
        ...found.map(({ requestId, sessionId, sessionName }) =>
          cleanLine(`  ${requestId} of ${sessionName ?? sessionId}`),
        ),
      ].join("\n"),
    );
  throw requestNotOpen(text);
}

/** The minimum number of characters of an id, so that a typing error does not match by chance. */
const MIN_ID_CHARS = 4;
