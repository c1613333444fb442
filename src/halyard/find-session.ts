import type { Halyard } from "../contracts/halyard.ts";
import type { SessionFilter } from "../contracts/store.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";
import { hasEnded } from "../log/projection.ts";
import { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Finds a session by its id, by the runtime's own id, by its name, or by a prefix of its id, with or without `ses_`.
 * A name matches ended sessions only if no live session has it. Rejects with `session_not_found` if no session matches,
 * and with `invalid_input` if the text is empty or several sessions match.
 */
export async function findSession(halyard: Halyard, text: string): Promise<SessionInfo> {
  if (text === "" || text === "ses_") {
    throw new HalyardError(
      "invalid_input",
      'The session id is empty. Run "halyard sessions" to list sessions.',
    );
  }
  const whole = await findById(halyard, text);
  if (whole) return whole;
  const sessions = await halyard.sessions();
  const named = sessions.filter(({ name }) => name === text);
  const running = named.filter((info) => !hasEnded(info));
  if (named.length > 0) return only(running.length > 0 ? running : named, text, "Use an id");
  const prefix = text.startsWith("ses_") ? text : `ses_${text}`;
  const begun = sessions.filter(({ id }) => id.startsWith(prefix));
  if (begun.length > 0) return only(begun, text, "Use a longer prefix");
  return notFound(
    text,
    didYouMean(
      text,
      sessions.flatMap(({ id, name }) => [id, ...(name ? [name] : [])]),
    ),
  );
}

/**
 * Finds a session by its id or by the runtime's own id. Returns the newest session if several have the same runtime id, and
 * undefined if there is none. `filter` applies only to the search by the runtime's own id.
 */
export async function findById(
  halyard: Halyard,
  text: string,
  filter: SessionFilter = {},
): Promise<SessionInfo | undefined> {
  const id = SessionId.safeParse(text).data;
  const ours = id && (await halyard.find(id));
  if (ours) return ours;
  const [theirs] = await halyard.sessions({ ...filter, runtimeSessionId: text, limit: 1 });
  return theirs;
}

/** Returns the session with this id. Rejects with `session_not_found` if there is none. */
export async function requireSession(halyard: Halyard, text: string): Promise<SessionInfo> {
  const id = SessionId.safeParse(text).data;
  return (id && (await halyard.find(id))) ?? notFound(text);
}

function only(matches: readonly SessionInfo[], text: string, advice: string): SessionInfo {
  const [first, second] = matches;
  if (first && !second) return first;
  const shown = matches.slice(0, 10).map(({ id }) => `  ${id}`);
  const more =
    matches.length > shown.length ? `\n  … and ${matches.length - shown.length} more` : "";
  throw new HalyardError(
    "invalid_input",
    `"${text}" matches ${matches.length} sessions. ${advice}:\n${shown.join("\n")}${more}`,
  );
}

function notFound(text: string, suggestion = ""): never {
  const advice = suggestion === "" ? ' Run "halyard sessions" to list sessions.' : suggestion;
  throw new HalyardError("session_not_found", `No session has the id or name "${text}".${advice}`);
}
