import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { OpenCodeConnection } from "./connection.ts";
import { findServer, leaseServer, type ServerContext } from "./server/server-request.ts";
import { readSessionLocation } from "./server/session-location.ts";

/**
 * Starts or finds the session's server, and returns the connection. Does not wait until the server responds. Throws
 * `lost` if the session to attach to, or its server, no longer exists.
 */
export async function connect(
  request: ConnectRequest,
  context: ServerContext,
): Promise<Connection> {
  const { attach, runDir } = request;
  if (attach === undefined) {
    const known = request.resume ?? (await copyUserSession(request, context));
    return new OpenCodeConnection(await leaseServer(request, context), known, request, context);
  }
  const session = attach.runtimeSessionId ?? (await readSessionLocation(runDir))?.session;
  if (session === undefined)
    throw new HalyardError(
      "lost",
      "The previous process exited before OpenCode created a session. Start a new session.",
    );
  return new OpenCodeConnection(await findServer(request, context), session, request, context);
}

/**
 * Copies a native session from the user's own database and returns the id of the copy. Returns undefined if the request
 * does not continue a native session.
 */
async function copyUserSession(
  { fork, env, options, ...paths }: ConnectRequest,
  context: ServerContext,
): Promise<string | undefined> {
  if (fork === undefined || fork.stateDir !== undefined) return undefined;
  const { importUserSession } = await import("./native-sessions.ts");
  const bin = typeof options.bin === "string" ? options.bin : context.bin;
  const { runtimeSessionId } = fork;
  const programs = { ...context, env: { ...context.env, ...env }, bin };
  return importUserSession({ ...paths, runtimeSessionId }, programs);
}
