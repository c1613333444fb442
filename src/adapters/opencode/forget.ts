import { mkdir } from "node:fs/promises";
import type { ForgetRequest } from "../../contracts/adapter.ts";
import { Limits } from "../../schema/session/start-request.ts";
import { probeOpenCode } from "./find.ts";
import { leaseServer, type ServerContext } from "./server/server-request.ts";
import { SessionApi } from "./server/session-api.ts";

/**
 * Deletes an OpenCode session through a server that needs no model. Does nothing if OpenCode is not installed.
 */
export async function forget(session: ForgetRequest, context: ServerContext): Promise<void> {
  const { available } = await probeOpenCode(context);
  if (!available) return;
  const limits = Limits.parse({});
  await mkdir(session.runDir, { recursive: true, mode: 0o700 });
  const lease = await leaseServer({ ...session, ...noModelRequest, limits }, context);
  try {
    const { client } = await lease.server.ready;
    await new SessionApi(client, session.cwd).delete(session.runtimeSessionId);
  } finally {
    await lease.release(limits.stopMs);
  }
}

/** Settings for a server that needs neither a model nor the user's login. */
const noModelRequest = {
  permissions: "deny",
  plan: false,
  env: {},
  options: {},
  model: { id: "none", baseUrl: "http://127.0.0.1:1/v1", api: "openai-chat" },
} as const;
