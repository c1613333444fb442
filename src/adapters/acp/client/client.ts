import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { requestNotOpen } from "../../../errors/request-not-open.ts";
import type { Answer } from "../../../schema/permission.ts";
import { JsonRpcError, METHOD_NOT_FOUND } from "../../../wire/json-rpc-error.ts";
import type { JsonRpcId } from "../../../wire/json-rpc-message.ts";
import { INVALID_PARAMS } from "../events/failure.ts";
import type { Tool } from "../events/tools.ts";
import type { ToolCall } from "../messages.ts";
import { decide } from "../policy.ts";
import { type ChangingRequest, ClientRequest, changeDraft, isChanging } from "./client-requests.ts";
import { Elicitation, elicitationResult } from "./elicitation.ts";
import { readTextFile, writeTextFile } from "./files.ts";
import { OpenRequests } from "./open-requests.ts";
import { callIn, cancelledResult, PermissionParams, permissionResult } from "./requests.ts";
import type { ClientTerminals } from "./terminals.ts";

/** Options for `Client`. */
export interface ClientOptions {
  readonly request: ConnectRequest;
  readonly terminals: ClientTerminals;
  /** Returns the id of the open tool call whose permission request covers a change, or undefined. */
  coveredBy(change: ChangingRequest): string | undefined;
  /** Returns the tool that a permission request is about. */
  toolFor(asked: ToolCall): Tool;
}

/**
 * The client side of the protocol: answers permission requests, reads and writes files, and runs commands for the
 * agent.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #open: OpenRequests;
  /** By tool call id: true if the call was allowed, false if denied. Applies to all changes that the call covers. */
  readonly #permitted = new Map<string, boolean>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#open = new OpenRequests({ isAttached: options.request.attach !== undefined });
  }

  /**
   * Returns the response to a request. Throws a `JsonRpcError` if the request is unknown, invalid or denied. If `isNew`
   * is false, an earlier process received the request and may have handled it.
   */
  async handle(
    method: string,
    params: unknown,
    id: JsonRpcId,
    { isNew }: { isNew: boolean },
  ): Promise<unknown> {
    if (method === "session/request_permission") return this.#permit(params, id);
    if (method === "elicitation/create") return this.#elicit(params, id);
    const { data: request } = ClientRequest.safeParse({ method, params });
    if (request) return this.#serve(request, id, isNew);
    if (clientMethods.has(method))
      throw new JsonRpcError(INVALID_PARAMS, `The parameters of ${method} are invalid.`);
    throw new JsonRpcError(METHOD_NOT_FOUND, `Halyard does not implement ${method}.`);
  }

  /** True if permission for a tool call was granted or denied. */
  isSettled(toolCallId: string): boolean {
    return this.#permitted.has(toolCallId);
  }

  answer(nativeId: string, answer: Answer): void {
    if (this.#open.answer(nativeId, answer)) return;
    throw requestNotOpen(nativeId);
  }

  /** Cancels all open requests. */
  close(): void {
    this.#open.close();
  }

  async #permit(params: unknown, id: JsonRpcId): Promise<unknown> {
    const { data: asked } = PermissionParams.safeParse(params);
    if (asked === undefined)
      throw new JsonRpcError(INVALID_PARAMS, "The permission request is malformed.");
    const call = callIn(asked);
    if (call) this.#permitted.delete(call.toolCallId); // the earlier decision applied to another request
    const tool = call && this.#options.toolFor(call);
    const decision = tool && decide(this.#options.request, tool);
    const answer = decision ? { decision } : await this.#open.open(String(id));
    if (call && answer) this.#permitted.set(call.toolCallId, answer.decision === "allow");
    return answer ? permissionResult(asked, answer) : cancelledResult;
  }

  /** Waits for the answer to a form. Rejects a form without a session id, because Halyard shows forms only in a session. */
  async #elicit(params: unknown, id: JsonRpcId): Promise<unknown> {
    const { data: form } = Elicitation.safeParse(params);
    if (form === undefined)
      throw new JsonRpcError(
        INVALID_PARAMS,
        'The elicitation is invalid. Halyard supports only the mode "form" with the id of a session.',
      );
    return elicitationResult(form, await this.#open.open(String(id)));
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
      throw new JsonRpcError(INTERRUPTED, "Halyard was restarted during the request. Try again.");
    }
    const answer = await this.#open.open(String(id));
    if (answer?.decision !== "allow") throw denied(answer?.text);
  }
}

/** ACP's error code for a cancelled request. */
const INTERRUPTED = -32800;

function denied(reason?: string): JsonRpcError {
  const message = reason === undefined ? "Permission denied." : `Permission denied: ${reason}`;
  return new JsonRpcError(INVALID_PARAMS, message);
}

const clientMethods: ReadonlySet<string> = new Set(
  ClientRequest.options.map(({ shape }) => shape.method.value),
);
