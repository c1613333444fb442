import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { JsonRpcPeer } from "../../../wire/json-rpc.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { readOptions } from "../options.ts";
import type { AgentSessionState } from "../run-state.ts";
import type { Agreement } from "./agreement.ts";
import { initialize } from "./initialize.ts";
import { openSession } from "./open-session.ts";
import { untilSilent } from "./until-silent.ts";

/** An agent with an open session. */
export interface OpenedAgent extends AgentSessionState {
  readonly warnings: readonly string[];
  /** Text to insert before the first message: the system prompt if the agent does not support system prompts, else empty. */
  readonly preamble: string;
}

/** Performs the handshake with a new process, and opens, resumes or forks the session. */
export async function openAgent(
  request: ConnectRequest,
  process: HostProcess,
  peer: JsonRpcPeer,
): Promise<OpenedAgent> {
  const { protocolVersion, greetingMs } = readOptions(request);
  const agreement = await initializeProgram(process, peer, { wanted: protocolVersion, greetingMs });
  const send = (method: string, params: unknown) => peer.request(method, params);
  const { sessionId, warnings } = await openSession(request, agreement, send);
  const { systemPrompt, resume, fork } = request;
  const isNew = resume === undefined && fork === undefined; // otherwise, the conversation already contains the preamble
  const needsPreamble = systemPrompt !== undefined && !agreement.takesSystemPrompt && isNew;
  return {
    agreement,
    sessionId,
    warnings: needsPreamble ? [...warnings, `${agreement.agent} ${NO_SYSTEM_PROMPT}`] : warnings,
    preamble: needsPreamble ? `${systemPrompt}\n\n` : "",
  };
}

const NO_SYSTEM_PROMPT =
  "does not support system prompts. Halyard inserts the system prompt before the first message.";

/**
 * Performs the handshake. Throws `start_failed` if the program rejects the handshake or shows no activity for
 * `greetingMs`.
 */
export async function initializeProgram(
  process: HostProcess,
  peer: JsonRpcPeer,
  { wanted, greetingMs }: { wanted: 1 | 2; greetingMs: number },
): Promise<Agreement> {
  const answered = new AbortController();
  const silence = untilSilent(process, { limitMs: greetingMs, signal: answered.signal });
  const send = (method: string, params: unknown) =>
    peer.request(method, params, { timeoutMs: Number.POSITIVE_INFINITY });
  const greeting = initialize(send, wanted);
  greeting.catch(() => {}); // the request may still be rejected after the timeout
  try {
    const agreement = await Promise.race([greeting, silence]);
    if (typeof agreement === "object") return agreement;
    throw await notAcp(process, `it did not respond within ${(agreement ?? 0) / 1000} s`);
  } catch (error) {
    if (error instanceof JsonRpcError) throw await notAcp(process, error.message, error);
    throw error;
  } finally {
    answered.abort();
  }
}

async function notAcp(process: HostProcess, reason: string, cause?: Error): Promise<HalyardError> {
  const stderr = (await process.stderrTail()).trim().slice(-STDERR_LENGTH);
  const details = stderr === "" ? "" : ` Its stderr: ${stderr}`;
  const message = `The program is not an ACP agent (${reason}). Check the command, or update the agent.${details}`;
  return new HalyardError("start_failed", message, { cause });
}

const STDERR_LENGTH = 2000;
