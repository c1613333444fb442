import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { OpenCodeConnection } from "./connection.ts";
import { findServer, leaseServer, type ServerContext } from "./server/server-request.ts";
import { readSessionLocation } from "./server/session-location.ts";

/** Starts or finds the session's server. Does not wait until the server responds. */
export async function connect(
  request: ConnectRequest,
  context: ServerContext,
): Promise<Connection> {
  const { attach, resume, runDir } = request;
  if (attach === undefined)
    return new OpenCodeConnection(await leaseServer(request, context), resume, request, context);
  const session = attach.runtimeSessionId ?? (await readSessionLocation(runDir))?.session;
  if (session === undefined)
    throw new HalyardError(
      "lost",
      "The previous process exited before OpenCode created a session. Start a new session.",
    );
  return new OpenCodeConnection(await findServer(request, context), session, request, context);
}
