import { z } from "zod";
import type { EventDraft, RequestDraft, SettledDraft } from "../../../contracts/event-draft.ts";
import type { OpenCall } from "./open-calls.ts";

/** The response to `thread/backgroundTerminals/list`: the running commands. */
export const BackgroundTerminals = z.looseObject({
  data: z.array(z.looseObject({ itemId: z.string(), processId: z.string() })),
});

/**
 * Derives the answers that a user gives on Codex's own screen. Codex reports that a request is resolved, but not how. If
 * a tool's result is a rejection, the user denied the request. If the tool runs or has any other result, the user
 * allowed the request. The session ignores drafts for requests that it has answered itself.
 */
export class ScreenAnswers {
  readonly #open = new Map<string, RequestDraft>();

  /** Inserts the user's answer, derived from each tool result, before the result. */
  addAnswers(drafts: readonly EventDraft[]): EventDraft[] {
    return drafts.flatMap((draft): EventDraft[] => {
      if (draft.type === "request") this.#open.set(draft.nativeId, draft);
      if (draft.type === "completion") this.#open.clear();
      if (draft.type !== "tool_result") return [draft];
      const isDeclined =
        draft.isError && draft.exitCode === undefined && DECLINED.test(draft.output);
      return [...this.#settle(draft.callId, isDeclined ? "deny" : "allow"), draft];
    });
  }

  /** Settles a resolved question as allowed, because no tool result shows how the user answered. */
  onResolved(requestId: string): SettledDraft[] {
    return [...this.#open.values()].flatMap(({ nativeId, kind }): SettledDraft[] => {
      const isPart = nativeId === requestId || nativeId.startsWith(`${requestId}/`);
      if (kind !== "question" || !isPart) return [];
      this.#open.delete(nativeId);
      return [{ type: "settled", nativeId, decision: "allow" }];
    });
  }

  /** Settles the requests of running commands as allowed, without waiting for their results. */
  onRunningCommands(result: unknown, calls: readonly OpenCall[]): SettledDraft[] {
    const { data: terminals } = BackgroundTerminals.safeParse(result);
    return (terminals?.data ?? []).flatMap(({ itemId }) => {
      const call = calls.find(({ item }) => item.id === itemId);
      return call ? this.#settle(call.callId, "allow") : [];
    });
  }

  #settle(callId: string, decision: SettledDraft["decision"]): SettledDraft[] {
    const request = [...this.#open.values()].find((open) => open.callId === callId);
    if (request === undefined) return [];
    this.#open.delete(request.nativeId);
    return [{ type: "settled", nativeId: request.nativeId, decision }];
  }
}

/** Matches a denied tool's output: an item's status, or an MCP call's error. */
const DECLINED = /^declined$|^user (rejected|cancelled) MCP tool call/;
