import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { acpAdapter } from "../../src/adapters/acp/index.ts";
import type { ConnectRequest } from "../../src/contracts/adapter.ts";
import { createLocalHost } from "../../src/hosts/local/index.ts";
import { Conversation } from "../../src/testing/adapter-suite/conversation.ts";
import { sampleRequest } from "../../src/testing/sample-request.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { type SmallAgentOptions, smallAgentAdapter } from "./small-agent.ts";

/** The agent, changes to its connect request, and the answer to all of its permission requests. */
export interface SmallAgentScene extends SmallAgentOptions {
  readonly request?: Partial<ConnectRequest>;
  readonly decision?: "allow" | "deny";
  /** Uses the adapter `acp` without a default command. */
  readonly bare?: boolean;
}

/** Starts a small agent and opens a conversation with it, which ends with the test. */
export async function openSmallAgent({
  request,
  decision,
  bare,
  ...agent
}: SmallAgentScene = {}): Promise<Conversation> {
  const directory = request?.cwd ?? (await temporaryDirectory());
  const runDir = join(await temporaryDirectory(), "run");
  await mkdir(runDir);
  const env = { PATH: process.env.PATH ?? "" };
  const adapter = bare ? acpAdapter({ env }) : smallAgentAdapter({ env, ...agent });
  const asked = { cwd: directory, host: createLocalHost(), runDir, stateDir: directory };
  const connection = await adapter.connect(sampleRequest({ ...asked, ...request }));
  const conversation = new Conversation(connection, () => decision && { decision });
  onTestFinished(() => conversation[Symbol.asyncDispose]());
  return conversation;
}
