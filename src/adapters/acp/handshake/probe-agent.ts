import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nativeStream } from "../../../adapter-kit/native-stream.ts";
import type { Host, HostProcess } from "../../../contracts/host.ts";
import { findProgram } from "../../../programs/program.ts";
import type { Greeting } from "../../../schema/runtimes/runtime-info.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../../wire/json-rpc.ts";
import { toJsonLine } from "../../../wire/ndjson.ts";
import { agentEnvironment, programSearch } from "../agent/agent-command.ts";
import { PRESET_GREETING_MS } from "../options.ts";
import { initializeProgram } from "./open-agent.ts";

export interface AgentToProbe {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts an agent in an empty directory, performs the handshake and terminates it. Does not open a session or call a
 * model.
 */
export async function probeAgent(
  { name, command, env }: AgentToProbe,
  host: Host,
): Promise<Greeting> {
  const { file } = await findProgram({ ...programSearch(command, env), bin: command[0] });
  const directory = await mkdtemp(join(tmpdir(), "halyard-acp-"));
  const args = command.slice(1);
  const own = agentEnvironment(command, env, []);
  try {
    await using process = await host.spawn(
      { file, args, cwd: directory, env: own },
      { runDir: directory },
    );
    const peer = createJsonRpcPeer({ send: (message) => process.write(toJsonLine(message)) });
    void pump(name, process, peer);
    const { version, agent, signIn, capabilities } = await initializeProgram(process, peer, {
      wanted: 2,
      greetingMs: PRESET_GREETING_MS,
    });
    const methods = signIn.map(({ id, name: method }) => `${method} (${id})`);
    return { protocol: "ACP", version, agent, signIn: methods, capabilities };
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
