import type { Halyard, Session } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionId } from "../schema/id.ts";
import { changesIn } from "./resume-request.ts";

/**
 * Resumes a session. If another process runs the session, applies the changed settings in `options` through that process
 * and returns its session. Rejects with `session_owned` if that process does not accept commands.
 */
export async function resumeAnywhere(
  halyard: Halyard,
  id: SessionId,
  options: ResumeOptions,
): Promise<Session> {
  try {
    return await halyard.resume(id, options);
  } catch (error) {
    if (!(error instanceof HalyardError) || error.code !== "session_owned") throw error;
    const session = await halyard.session(id);
    const changes = changesIn(session.info, options);
    if (changes) await halyard.update(id, changes);
    return session;
  }
}
