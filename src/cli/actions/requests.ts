import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import type { Answer } from "../../schema/permission.ts";
import { liveStates } from "../../schema/session-state.ts";
import { openDaemon } from "../open-daemon.ts";
import { openNearby } from "../open-nearby.ts";
import { cleanLine } from "../output/clean.ts";
import type { Colors } from "../output/colors.ts";
import { chooseOption, decide, parseReply } from "../output/reply.ts";
import { requestLines } from "../output/request-lines.ts";
import { duration } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface RequestsOptions {
  readonly format: "text" | "json";
}

export async function requests(
  session: string | undefined,
  { format }: RequestsOptions,
): Promise<number> {
  const terminal = openTerminal();
  const { out, err } = terminal;
  await using halyard = await openNearby(terminal);
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
  throwIfUnwritable(terminal);
  return 0;
}

function describe(request: OpenRequest, colors: Colors): string[] {
  const { requestId, sessionId, sessionName, expiresAt, kind } = request;
  const who = cleanLine(sessionName === undefined ? sessionId : `${sessionName} (${sessionId})`);
  const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
  const left = leftMs === undefined ? [] : [`denied in ${duration(Math.max(0, leftMs))}`];
  const reply = kind === "question" ? '"…"' : "yes";
  const rule = request.options.find((option) => option.rule)?.rule;
  const always = rule ? [`  halyard answer ${requestId} always   ${cleanLine(rule.text)}`] : [];
  return [
    `${colors.bold(who)} ${colors.dim(["", requestId, ...left].join(" · ").trim())}`,
    ...requestLines(request, colors),
    colors.dim(`  halyard answer ${requestId} ${reply}`),
    ...always.map((line) => colors.dim(line)),
  ];
}

/** Answers a request with a decision and its reason, or with a reply as typed at the prompt. */
export async function answer(text: string, words: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openDaemon(terminal);
  const request = await findRequest(halyard, text);
  const given = toAnswer(request, words);
  const session = await halyard.session(request.sessionId);
  await session.answer(request.requestId, given);
  const rule = request.options.find(({ id }) => id === given.optionId)?.rule;
  const more = given.decision === "deny" ? given.text : rule && `with ${rule.text} from now on`;
  const reason = more ? `: ${cleanLine(more)}` : "";
  await terminal.err.write(
    `${request.requestId}: ${given.decision === "allow" ? "allowed" : "denied"}${reason}\n`,
  );
  return 0;
}

/** `allow`, `deny` and what belongs to them, or a reply: `y`, `n`, `no, use /tmp instead`, a number. */
function toAnswer(request: OpenRequest, [first = "", ...rest]: readonly string[]): Answer {
  const more = rest.join(" ").trim();
  if (first === "allow" || first === "deny") {
    const option = request.kind === "question" ? chooseOption(request, more) : undefined;
    if (option) return { decision: first, optionId: option.id };
    if (first === "allow" && more !== "" && request.kind === "permission")
      throw new HalyardError(
        "invalid_input",
        `"allow" takes no text for a permission. Run "halyard answer ${request.requestId} allow", or "… no REASON" to deny.`,
      );
    return { ...decide(request, first), ...(more !== "" && { text: more }) };
  }
  const reply = parseReply([first, ...rest].join(" "), request);
  if (reply?.kind === "answer") return reply.answer;
  throw new HalyardError(
    "invalid_input",
    `The answer "${[first, ...rest].join(" ")}" is not clear, and nothing was answered. Use yes, no, "no, REASON" or the number of an option.`,
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

/** By its id or the beginning of it, with or without `req_`. */
async function findRequest(halyard: Halyard, text: string): Promise<OpenRequest> {
  const prefix = text.startsWith("req_") ? text : `req_${text}`;
  if (prefix.length < "req_".length + FEWEST)
    throw new HalyardError(
      "invalid_input",
      `"${text}" does not identify a request: type at least ${FEWEST} characters of its id after "req_". Run "halyard requests" to list open requests.`,
    );
  const open = await listOpen(halyard);
  const found = open.filter(({ requestId }) => requestId.startsWith(prefix));
  const [request, second] = found;
  if (request && !second) return request;
  if (request)
    throw new HalyardError(
      "invalid_input",
      [
        `"${text}" is the beginning of ${found.length} requests. Type more characters of one of these:`,
        ...found.map(({ requestId, sessionId, sessionName }) =>
          cleanLine(`  ${requestId} of ${sessionName ?? sessionId}`),
        ),
      ].join("\n"),
    );
  throw new HalyardError(
    "request_not_found",
    `Request "${text}" is not open: it was answered, or its turn has ended. Run "halyard requests" to list open requests.`,
  );
}

/** How many characters of an id a person must have read somewhere. */
const FEWEST = 4;
