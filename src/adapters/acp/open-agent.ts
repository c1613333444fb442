import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import type { JsonRpcPeer } from "../../wire/json-rpc.ts";
import { JsonRpcError, JsonRpcTimeout } from "../../wire/json-rpc-error.ts";
import type { Agreement } from "./agreement.ts";
import { greet } from "./greet.ts";
import { openSession } from "./open-session.ts";
import { readOptions } from "./options.ts";
import type { OpenedSession } from "./run-state.ts";

export interface OpenedAgent extends OpenedSession {
  readonly warnings: readonly string[];
  /** What goes before the first message. */
  readonly preamble: string;
}

/** Greets a program that was just started, and opens the session in it. */
export async function openAgent(
  request: ConnectRequest,
  process: HostProcess,
  peer: JsonRpcPeer,
): Promise<OpenedAgent> {
  const { protocolVersion, greetingMs } = readOptions(request);
  const agreement = await greetProgram(process, peer, { wanted: protocolVersion, greetingMs });
  const ask = (method: string, params: unknown) => peer.request(method, params);
  const { sessionId, warnings } = await openSession(request, agreement, ask);
  const { systemPrompt, resume } = request;
  const isMissed =
    systemPrompt !== undefined && !agreement.takesSystemPrompt && resume === undefined;
  return {
    agreement,
    sessionId,
    warnings: isMissed ? [...warnings, `${agreement.agent} ${NO_INSTRUCTIONS}`] : warnings,
    preamble: isMissed ? `${systemPrompt}\n\n` : "",
  };
}

const NO_INSTRUCTIONS = "takes no instructions: they go before the first message";

/** Whether it is an ACP agent at all has to show soon. */
export async function greetProgram(
  process: HostProcess,
  peer: JsonRpcPeer,
  { wanted = 2, greetingMs = GREETING_MS }: { wanted?: 1 | 2; greetingMs?: number } = {},
): Promise<Agreement> {
  const deadline = performance.now() + greetingMs;
  const ask = (method: string, params: unknown) =>
    peer.request(method, params, { timeoutMs: Math.max(1, deadline - performance.now()) });
  try {
    return await greet(ask, wanted);
  } catch (error) {
    if (error instanceof JsonRpcTimeout)
      throw await noAnswer(process, `it did not answer within ${greetingMs / 1000} s`, error);
    if (error instanceof JsonRpcError) throw await noAnswer(process, error.message, error);
    throw error;
  }
}

/** For a look at it, which nobody wants to wait long for. */
const GREETING_MS = 9000;

async function noAnswer(process: HostProcess, reason: string, cause: Error): Promise<HalyardError> {
  const stderr = (await process.stderrTail()).trim().slice(-STDERR_LENGTH);
  const said = stderr === "" ? "" : `. It wrote: ${stderr}`;
  const message = `the program does not speak ACP: ${reason}${said}`;
  return new HalyardError("start_failed", message, { cause });
}

const STDERR_LENGTH = 2000;
