import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nativeStream } from "../../../adapter-kit/native-stream.ts";
import type { Host, HostProcess } from "../../../contracts/host.ts";
import { findProgram } from "../../../programs/program.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../../wire/json-rpc.ts";
import { toJsonLine } from "../../../wire/ndjson.ts";
import { agentEnvironment, programSearch } from "../agent/agent-command.ts";
import type { Agreement } from "./agreement.ts";
import type { SendRequest } from "./initialize.ts";
import { initializeProgram } from "./open-agent.ts";

/** An agent that is started without a session. */
export interface BriefAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names of additional variables that the agent receives. Defaults to none. */
  readonly passEnv?: readonly string[];
  readonly greetingMs: number;
  /** The protocol version to request. Defaults to 2. */
  readonly protocolVersion?: 1 | 2;
}

/**
 * Starts an agent in an empty directory, performs the handshake, calls `use`, terminates the agent, and returns the
 * result of `use`. Does not open a session or call a model.
 */
export async function withBriefAgent<T>(
  { name, command, env, passEnv = [], greetingMs, protocolVersion = 2 }: BriefAgent,
  host: Host,
  use: (agreement: Agreement, send: SendRequest) => Promise<T>,
): Promise<T> {
  const { file } = await findProgram({ ...programSearch(command, env), bin: command[0] });
  const directory = await mkdtemp(join(tmpdir(), "halyard-acp-"));
  const args = command.slice(1);
  const own = agentEnvironment(command, env, passEnv);
  try {
    await using process = await host.spawn(
      { file, args, cwd: directory, env: own },
      { runDir: directory },
    );
    const peer = createJsonRpcPeer({ send: (message) => process.write(toJsonLine(message)) });
    void pump(name, process, peer);
    const agreement = await initializeProgram(process, peer, {
      wanted: protocolVersion,
      greetingMs,
    });
    return await use(agreement, (method, params) => peer.request(method, params));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Passes the output to the peer. An error closes the peer, which rejects the pending request. */
async function pump(runtime: string, process: HostProcess, peer: JsonRpcPeer): Promise<void> {
  const mapper = { map: () => [], flush: () => [] };
  const onMessage = (message: unknown) => void peer.receive(message);
  const onEnd = (reason: Error) => peer.close(reason);
  try {
    for await (const _ of nativeStream(process, { runtime, mapper, onMessage, onEnd }));
  } catch {
    // Closing the peer has already rejected the pending request.
  }
}
