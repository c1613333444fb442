import { mkdir } from "node:fs/promises";
import type { ForgetRequest } from "../../core/adapter.ts";
import { Limits } from "../../schema/start-request.ts";
import { probeOpenCode } from "./find.ts";
import { hireServer, type ServerContext } from "./server-request.ts";
import { SessionApi } from "./session-api.ts";

/** Has OpenCode delete a session, on a server that is started for that. Where OpenCode is gone, nobody can. */
export async function forget(session: ForgetRequest, context: ServerContext): Promise<void> {
  const { available } = await probeOpenCode(context);
  if (!available) return;
  const limits = Limits.parse({});
  await mkdir(session.runDir, { recursive: true, mode: 0o700 });
  const lease = await hireServer({ ...session, ...bystander, limits }, context);
  try {
    const { client } = await lease.server.ready;
    await new SessionApi(client, session.cwd).delete(session.runtimeSessionId);
  } finally {
    await lease.release(limits.stopMs);
  }
}

/** Somebody who needs neither a model nor the user's login. */
const bystander = {
  permissions: "deny",
  plan: false,
  env: {},
  options: {},
  model: { id: "none", baseUrl: "http://127.0.0.1:1/v1", api: "openai-chat" },
} as const;
