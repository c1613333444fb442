import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host, HostProcess } from "../../core/host.ts";
import { nativeStream } from "../../core/native-stream.ts";
import { findProgram } from "../../core/program.ts";
import type { Greeting } from "../../schema/runtime-info.ts";
import { createJsonRpcPeer, type JsonRpcPeer } from "../../wire/json-rpc.ts";
import { toJsonLine } from "../../wire/ndjson.ts";
import { agentEnvironment, programSearch } from "./agent-command.ts";
import { greetProgram } from "./open-agent.ts";
import { KNOWN_GREETING_MS } from "./options.ts";

export interface AgentToGreet {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts an agent in an empty directory, exchanges greetings and ends it: no session, no model. */
export async function greetAgent(
  { name, command, env }: AgentToGreet,
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
    void listen(name, process, peer);
    const { version, agent, signIn, capabilities } = await greetProgram(process, peer, {
      wanted: 2,
      greetingMs: KNOWN_GREETING_MS,
    });
    const ways = signIn.map(({ id, name: way }) => `${way} (${id})`);
    return { protocol: "ACP", version, agent, signIn: ways, capabilities };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Why the agent ends is for whoever waits for its answer. */
async function listen(runtime: string, process: HostProcess, peer: JsonRpcPeer): Promise<void> {
  const mapper = { map: () => [], flush: () => [] };
  const onMessage = (message: unknown) => void peer.receive(message);
  const onEnd = (reason: Error) => peer.close(reason);
  try {
    for await (const _ of nativeStream(process, { runtime, mapper, onMessage, onEnd }));
  } catch {
    // as above
  }
}
