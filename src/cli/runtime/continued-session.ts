import { realpath } from "node:fs/promises";
import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import type { SessionFlags } from "../start-request.ts";

/**
 * Replaces the start of an id in `continuedFrom` with the full id. Returns the request unchanged if it has no
 * `continuedFrom`, or if the agent cannot list its sessions. Throws if no session or more than one session matches. Also
 * throws if the session was started in another directory and no option selects the directory.
 */
export async function withContinuedSession(
  halyard: Halyard,
  request: StartRequest,
  flags: Pick<SessionFlags, "cwd" | "project" | "repo" | "upload">,
): Promise<StartRequest> {
  const { runtime, continuedFrom: id, on, options } = request;
  if (id === undefined || runtime === undefined) return request;
  const query = { id, limit: MAX_MATCHES, ...(on && { on }), ...(options && { options }) };
  const found = await halyard.nativeSessions(runtime, query).catch((error: unknown) => {
    // An agent that cannot list its sessions may still know the id.
    if (error instanceof HalyardError && error.code === "unsupported") return undefined;
    throw error;
  });
  if (found === undefined) return request;
  const session = oneOf(found, id, runtime);
  const isChosen = (flags.cwd ?? flags.project ?? flags.repo ?? flags.upload) !== undefined;
  if (!isChosen) await requireSameDirectory(session, request.cwd);
  return { ...request, continuedFrom: session.id };
}

/** The maximum number of matching sessions that an error lists. */
const MAX_MATCHES = 5;

function oneOf(found: readonly NativeSession[], id: string, runtime: string): NativeSession {
  const [first, second] = found;
  const match = found.find((one) => one.id === id) ?? (second === undefined ? first : undefined);
  if (match) return match;
  const list = `Run "halyard runtime sessions ${runtime} --all" to list them.`;
  if (first === undefined)
    throw new HalyardError(
      "runtime_session_not_found",
      `${runtime} has recorded no session ${id} without Halyard. ${list}`,
    );
  const ids = found.map((one) => one.id).join(", ");
  throw new HalyardError(
    "invalid_input",
    `The id in --from is ambiguous: several sessions of ${runtime} start with ${id}: ${ids}. Use a longer prefix. ${list}`,
  );
}

/** Throws if the session was started in another directory, because the agent would work on other files. */
async function requireSameDirectory({ id, cwd }: NativeSession, here: string): Promise<void> {
  if (cwd === undefined || cwd === here) return;
  const [there, current] = await Promise.all(
    [cwd, here].map((path) => realpath(path).catch(() => path)),
  );
  if (there === current) return;
  throw new HalyardError(
    "invalid_input",
    `Session ${id} in --from was started in ${cwd}. Add "--cwd ${cwd}" to continue it there, or "--cwd ." to continue it here.`,
  );
}
