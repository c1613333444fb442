import type { EventDraft, RequestDraft } from "../../core/draft.ts";
import type { Channel } from "../../schema/event.ts";
import { Calls } from "./calls.ts";
import type { ToolCall, ToolContent } from "./messages.ts";
import { callIn, type PermissionParams, permissionDraft } from "./requests.ts";
import { graver, kindOf, pathsOf, type ToldTerminal, type Tool, toolOf } from "./tools.ts";
import { Words } from "./words.ts";

export interface TurnOptions {
  /** Unique in the session: the names of messages begin with it. */
  readonly name: string;
  /** The request that began it, where we made it. */
  readonly promptId?: number;
  terminalOf(id: string): ToldTerminal | undefined;
}

/** A turn in our words, from its first word to its last. */
export class Turn {
  readonly promptId: number | undefined;
  readonly calls: Calls;
  readonly #words: Words;
  /** Whether the agent has begun to work on it: only then can it have come to an end. */
  isRunning = false;

  constructor({ name, promptId, terminalOf }: TurnOptions) {
    this.promptId = promptId;
    this.calls = new Calls(terminalOf);
    this.#words = new Words(name);
  }

  say(channel: Channel, messageId: string | undefined, text: string): EventDraft[] {
    return [...this.settle(), ...this.#words.piece(channel, messageId, text)];
  }

  sayWhole(channel: Channel, messageId: string | undefined, text: string): EventDraft[] {
    return [...this.settle(), ...this.#words.whole(channel, messageId, text)];
  }

  use(update: ToolCall): EventDraft[] {
    return this.#between(this.calls.update(update));
  }

  show(toolCallId: string, content: ToolContent): EventDraft[] {
    return this.#between(this.calls.add(toolCallId, content));
  }

  /** The agent asks for permission. `isDecided` says for which tools nobody is asked. */
  ask(
    nativeId: string,
    params: PermissionParams,
    isDecided: (tool: Tool) => boolean,
  ): EventDraft[] {
    const asked = callIn(params);
    if (asked === undefined)
      return this.#between([permissionDraft(nativeId, params, toolIn(params))]);
    const judged = this.toolFor(asked); // before the request changes what is known of the call
    const { call, drafts } = this.calls.ask(asked);
    const tool = { ...judged, name: toolOf(call.state).name };
    const paths = pathsOf(call.state);
    call.judged = { ...tool, paths };
    if (isDecided(tool)) return this.#between(drafts);
    const request = permissionDraft(nativeId, params, { tool, callId: call.callId, paths });
    return this.#between([...drafts, request]);
  }

  /** What permission is asked for: the request need not repeat what is known of the call. */
  toolFor(asked: ToolCall): Tool {
    const known = this.calls.get(asked.toolCallId)?.state;
    const tool = toolOf({ ...known, ...asked, kind: asked.kind ?? known?.kind });
    return known ? { ...tool, kind: graver(tool.kind, kindOf(known)) } : tool;
  }

  askFor(request: RequestDraft): EventDraft[] {
    return this.#between([...this.calls.settle(), request]);
  }

  /** What was held back to see whether more would come. */
  settle(): EventDraft[] {
    return this.#between(this.calls.settle());
  }

  /** All that is left to say. */
  close(): EventDraft[] {
    return [...this.settle(), ...this.#words.close()];
  }

  /** What happens among words ends the message before it. */
  #between(drafts: EventDraft[]): EventDraft[] {
    return drafts.length === 0 ? [] : [...this.#words.close(), ...drafts];
  }
}

/** What permission is asked for where it is no call. */
function toolIn({ subject, title }: PermissionParams): { tool: Tool } {
  const { command, cwd } = subject ?? {};
  const kind = kindOf({ kind: command == null ? "other" : "execute" });
  const input = command == null ? { title } : { command, ...(cwd && { cwd }) };
  return { tool: { name: command == null ? "permission" : "shell", kind, input } };
}
