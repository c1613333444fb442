import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { Answer } from "../../schema/permission.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../wire/json-rpc-error.ts";
import type { JsonRpcId } from "../../wire/json-rpc-message.ts";
import { readTextFile, writeTextFile } from "./client-files.ts";
import { type ChangingRequest, ClientRequest, changeDraft, isChanging } from "./client-requests.ts";
import type { ClientTerminals } from "./client-terminals.ts";
import { INVALID_PARAMS } from "./failure.ts";
import type { ToolCall } from "./messages.ts";
import { OpenRequests } from "./open-requests.ts";
import { decide } from "./policy.ts";
import { callIn, cancelledResult, PermissionParams, permissionResult } from "./requests.ts";
import type { Tool } from "./tools.ts";

export interface ClientOptions {
  readonly request: ConnectRequest;
  readonly terminals: ClientTerminals;
  /** The tool call under way that permission was asked for, and that a change is a part of. */
  coveredBy(change: ChangingRequest): string | undefined;
  /** What permission is asked for. */
  toolFor(asked: ToolCall): Tool;
}

/** The client's part of the protocol: gives permission, and reads, writes and runs for an agent that has us do that. */
export class Client {
  readonly #options: ClientOptions;
  readonly #open: OpenRequests;
  /** Tool calls that were permitted or not. A later change that is part of one goes by that. */
  readonly #permitted = new Map<string, boolean>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#open = new OpenRequests({ isFoundAgain: options.request.attach !== undefined });
  }

  /** What the agent is answered. One that is not new was heard by a process before us, which may have seen to it. */
  async handle(
    method: string,
    params: unknown,
    id: JsonRpcId,
    { isNew }: { isNew: boolean },
  ): Promise<unknown> {
    if (method === "session/request_permission") return this.#permit(params, id);
    const { data: request } = ClientRequest.safeParse({ method, params });
    if (request) return this.#serve(request, id, isNew);
    if (known.has(method))
      throw new JsonRpcError(INVALID_PARAMS, `${method} with wrong parameters`);
    throw new JsonRpcError(METHOD_NOT_FOUND, `Halyard does not know ${method}`);
  }

  /** Whether a tool call has its answer. */
  isSettled(toolCallId: string): boolean {
    return this.#permitted.has(toolCallId);
  }

  answer(nativeId: string, answer: Answer): void {
    if (this.#open.answer(nativeId, answer)) return;
    throw new HalyardError("request_not_found", `the agent waits for no answer to ${nativeId}`);
  }

  /** Nobody will answer what is still open. */
  close(): void {
    this.#open.close();
  }

  async #permit(params: unknown, id: JsonRpcId): Promise<unknown> {
    const { data: asked } = PermissionParams.safeParse(params);
    if (asked === undefined)
      throw new JsonRpcError(INVALID_PARAMS, "a request for permission of unknown shape");
    const call = callIn(asked);
    if (call) this.#permitted.delete(call.toolCallId); // an earlier answer was to another question
    const tool = call && this.#options.toolFor(call);
    const decision = tool && decide(this.#options.request, tool);
    const answer = decision ? { decision } : await this.#open.open(String(id));
    if (call && answer) this.#permitted.set(call.toolCallId, answer.decision === "allow");
    return answer ? permissionResult(asked, answer) : cancelledResult;
  }

  async #serve(request: ClientRequest, id: JsonRpcId, isNew: boolean): Promise<unknown> {
    const { cwd, protectedDirs = [] } = this.#options.request;
    const scope = { cwd, protectedDirs };
    if (isChanging(request)) {
      await this.#requirePermission(request, id, isNew);
      return request.method === "fs/write_text_file"
        ? writeTextFile(scope, request.params)
        : this.#options.terminals.create(request.params);
    }
    if (request.method === "fs/read_text_file") return readTextFile(scope, request.params);
    return this.#options.terminals.answer(request);
  }

  async #requirePermission(change: ChangingRequest, id: JsonRpcId, isNew: boolean): Promise<void> {
    const { tool } = changeDraft(String(id), change);
    const callId = this.#options.coveredBy(change);
    const decided = tool && decide(this.#options.request, tool);
    if (decided === "deny" || (callId !== undefined && !this.#permitted.get(callId)))
      throw denied();
    if (decided === "allow" || callId !== undefined) {
      if (isNew) return;
      throw new JsonRpcError(INTERRUPTED, "Halyard was restarted meanwhile: try again");
    }
    const answer = await this.#open.open(String(id));
    if (answer?.decision !== "allow") throw denied(answer?.text);
  }
}

/** JSON-RPC's code for what was given up. */
const INTERRUPTED = -32800;

function denied(reason = "the session's policy"): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, `permission denied: ${reason}`);
}

const known: ReadonlySet<string> = new Set(
  ClientRequest.options.map(({ shape }) => shape.method.value),
);
