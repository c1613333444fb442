import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import { liveStates } from "../../schema/session-state.ts";
import { openDaemon } from "../open-daemon.ts";
import { openNearby } from "../open-nearby.ts";
import { decide } from "../output/reply.ts";
import { requestLines } from "../output/request-lines.ts";
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
  for (const request of open) await out.write(show(request));
  if (open.length === 0 && format === "text") await err.write("Nobody waits for an answer.\n");
  throwIfUnwritable(terminal);
  return 0;

  function show(request: OpenRequest): string {
    if (format === "json") return `${JSON.stringify(request)}\n`;
    const { requestId, sessionId, options, kind } = request;
    const choices = options.map(({ label }, index) => `${index + 1} ${label}`).join("  ");
    const lines = [
      out.colors.dim(`${requestId} · ${sessionId}`),
      ...requestLines(request, out.colors),
      ...(kind === "question" && choices ? [`  ${choices}`] : []),
    ];
    return `${lines.join("\n")}\n\n`;
  }
}

export async function answer(
  text: string,
  decision: "allow" | "deny",
  words: string | undefined,
): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openDaemon(terminal);
  const request = await findRequest(halyard, text);
  const session = await halyard.session(request.sessionId);
  const given = words === undefined ? {} : (chooseOption(request, words) ?? { text: words });
  await session.answer(request.requestId, { ...decide(request, decision), ...given });
  await terminal.err.write(
    `${request.requestId}: ${decision === "allow" ? "allowed" : "denied"}\n`,
  );
  return 0;
}

type OpenRequest = RequestEvent & { readonly sessionId: SessionId };

async function listOpen(halyard: Halyard): Promise<OpenRequest[]> {
  const sessions = await halyard.sessions({ states: liveStates });
  return sessions.flatMap(({ id: sessionId, openRequests }) =>
    openRequests.map((request) => ({ ...request, sessionId })),
  );
}

/** By its id, or the beginning of it, with or without `req_`. */
async function findRequest(halyard: Halyard, text: string): Promise<OpenRequest> {
  const open = await listOpen(halyard);
  const prefix = text.startsWith("req_") ? text : `req_${text}`;
  const [found, second] = open.filter(({ requestId }) => requestId.startsWith(prefix));
  if (found && !second) return found;
  if (found)
    throw new HalyardError("invalid_input", `${text} is the beginning of more than one request`);
  throw new HalyardError(
    "request_not_found",
    `${text} is not open: it was answered, or its turn has ended. \`halyard requests\` lists those that are`,
  );
}

/** A question's option, by its number or its own words. */
function chooseOption(
  { kind, options }: OpenRequest,
  words: string,
): { optionId: string } | undefined {
  if (kind !== "question") return undefined;
  const found = options.find(
    ({ id, label }, index) => words === String(index + 1) || words === label || words === id,
  );
  return found && { optionId: found.id };
}
