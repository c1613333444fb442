import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import type { JsonRpcPeer } from "../../wire/json-rpc.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import type { Agreement } from "./agreement.ts";
import { greet } from "./greet.ts";
import { openSession } from "./open-session.ts";
import { readOptions } from "./options.ts";
import { untilSilent } from "./patience.ts";
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
  { wanted, greetingMs }: { wanted: 1 | 2; greetingMs: number },
): Promise<Agreement> {
  const answered = new AbortController();
  const silence = untilSilent(process, { limitMs: greetingMs, signal: answered.signal });
  const ask = (method: string, params: unknown) =>
    peer.request(method, params, { timeoutMs: Number.POSITIVE_INFINITY });
  const greeting = greet(ask, wanted);
  greeting.catch(() => {}); // whoever is not waited for any more
  try {
    const agreement = await Promise.race([greeting, silence]);
    if (typeof agreement === "object") return agreement;
    throw await noAnswer(process, `it did not answer within ${(agreement ?? 0) / 1000} s`);
  } catch (error) {
    if (error instanceof JsonRpcError) throw await noAnswer(process, error.message, error);
    throw error;
  } finally {
    answered.abort();
  }
}

async function noAnswer(
  process: HostProcess,
  reason: string,
  cause?: Error,
): Promise<HalyardError> {
  const stderr = (await process.stderrTail()).trim().slice(-STDERR_LENGTH);
  const said = stderr === "" ? "" : `. It wrote: ${stderr}`;
  const message = `the program does not speak ACP: ${reason}${said}`;
  return new HalyardError("start_failed", message, { cause });
}

const STDERR_LENGTH = 2000;
