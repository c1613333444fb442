import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";

/** The session somebody means by its id or by the beginning of it, with or without `ses_`. */
export async function findSession(halyard: Halyard, text: string): Promise<SessionInfo> {
  const whole = SessionId.safeParse(text);
  if (whole.success) {
    const info = await halyard.find(whole.data);
    return info ?? notFound(text);
  }
  const prefix = text.startsWith("ses_") ? text : `ses_${text}`;
  if (prefix === "ses_") throw new HalyardError("invalid_input", "the session's id is empty");
  const matches = (await halyard.sessions()).filter(({ id }) => id.startsWith(prefix));
  const [first, ...others] = matches;
  if (!first) return notFound(text);
  if (others.length === 0) return first;
  const shown = matches.slice(0, 10).map(({ id }) => `  ${id}`);
  const more =
    matches.length > shown.length ? `\n  … and ${matches.length - shown.length} more` : "";
  throw new HalyardError(
    "invalid_input",
    `${text} is the beginning of ${matches.length} sessions:\n${shown.join("\n")}${more}`,
  );
}

function notFound(text: string): never {
  throw new HalyardError("session_not_found", `no session has the id ${text}`);
}
