import type { EventDraft, RequestDraft } from "../../contracts/event-draft.ts";
import type { Channel } from "../../schema/event.ts";
import { Elicitation, elicitationDraft } from "./client/elicitation.ts";
import { callIn, type PermissionParams, permissionDraft } from "./client/requests.ts";
import { Calls } from "./events/calls.ts";
import { TurnMessages } from "./events/open-message.ts";
import {
  kindOf,
  moreSevere,
  pathsOf,
  type TerminalState,
  type Tool,
  toolOf,
} from "./events/tools.ts";
import type { ToolCall, ToolContent } from "./messages.ts";

/** Options for `AgentTurn`. */
export interface TurnOptions {
  /** The turn's unique name within the session. It is the prefix of message ids. */
  readonly name: string;
  /** The id of the prompt request. Undefined in a native log. */
  readonly promptId?: number;
  terminalOf(id: string): TerminalState | undefined;
}

/** Maps one turn's updates. */
export class AgentTurn {
  readonly promptId: number | undefined;
  readonly calls: Calls;
  readonly #messages: TurnMessages;
  /** True if the agent has started to work on the turn. Before that, the state "idle" does not end the turn. */
  isRunning = false;

  constructor({ name, promptId, terminalOf }: TurnOptions) {
    this.promptId = promptId;
    this.calls = new Calls(terminalOf);
    this.#messages = new TurnMessages(name);
  }

  addDelta(channel: Channel, messageId: string | undefined, text: string): EventDraft[] {
    return [...this.settle(), ...this.#messages.delta(channel, messageId, text)];
  }

  replaceMessage(channel: Channel, messageId: string | undefined, text: string): EventDraft[] {
    return [...this.settle(), ...this.#messages.replace(channel, messageId, text)];
  }

  updateCall(update: ToolCall): EventDraft[] {
    return this.#afterMessage(this.calls.update(update));
  }

  addContent(toolCallId: string, content: ToolContent): EventDraft[] {
    return this.#afterMessage(this.calls.add(toolCallId, content));
  }

  /** Maps a permission request. Emits no request for a tool whose permission is already decided (`isDecided`). */
  ask(
    nativeId: string,
    params: PermissionParams,
    isDecided: (tool: Tool) => boolean,
  ): EventDraft[] {
    const asked = callIn(params);
    if (asked === undefined)
      return this.#afterMessage([permissionDraft(nativeId, params, toolIn(params))]);
    const judged = this.toolFor(asked); // read first, because the request updates the call
    const { call, drafts } = this.calls.ask(asked);
    const tool = { ...judged, name: toolOf(call.state).name };
    const paths = pathsOf(call.state);
    call.judged = { ...tool, paths };
    if (isDecided(tool)) return this.#afterMessage(drafts);
    const request = permissionDraft(nativeId, params, { tool, callId: call.callId, paths });
    return this.#afterMessage([...drafts, request]);
  }

  /**
   * Returns the tool in a permission request. Fields that the request omits come from the call. The kind is the more
   * severe of the request's kind and the call's kind.
   */
  toolFor(asked: ToolCall): Tool {
    const known = this.calls.get(asked.toolCallId)?.state;
    const tool = toolOf({ ...known, ...asked, kind: asked.kind ?? known?.kind });
    return known ? { ...tool, kind: moreSevere(tool.kind, kindOf(known)) } : tool;
  }

  /** Maps a form from the agent. Emits nothing for a form that Halyard rejects. */
  askForm(nativeId: string, params: unknown): EventDraft[] {
    const { data: form } = Elicitation.safeParse(params);
    if (form === undefined) return [];
    const settled = this.calls.settle();
    const call = form.toolCallId ? this.calls.get(form.toolCallId) : undefined;
    const draft = elicitationDraft(nativeId, form);
    return this.#afterMessage([...settled, { ...draft, ...(call && { callId: call.callId }) }]);
  }

  addRequest(request: RequestDraft): EventDraft[] {
    return this.#afterMessage([...this.calls.settle(), request]);
  }

  /** Emits the buffered tool calls. */
  settle(): EventDraft[] {
    return this.#afterMessage(this.calls.settle());
  }

  /** Emits all buffered drafts at the end of the turn. */
  close(): EventDraft[] {
    return [...this.settle(), ...this.#messages.close()];
  }

  /** Completes the open message, then returns the drafts. */
  #afterMessage(drafts: EventDraft[]): EventDraft[] {
    return drafts.length === 0 ? [] : [...this.#messages.close(), ...drafts];
  }
}

/** Returns the tool of a permission request that names no tool call. */
function toolIn({ subject, title }: PermissionParams): { tool: Tool } {
  const { command, cwd } = subject ?? {};
  const kind = kindOf({ kind: command == null ? "other" : "execute" });
  const input = command == null ? { title } : { command, ...(cwd && { cwd }) };
  return { tool: { name: command == null ? "permission" : "shell", kind, input } };
}
