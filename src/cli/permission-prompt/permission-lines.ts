import type { RequestEvent, ResponseEvent } from "../../schema/event.ts";
import { cleanText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { requestLines } from "./request-lines.ts";

/** Formats requests and their answers as lines of text. */
export class PermissionLines {
  readonly #colors: Colors;
  readonly #requests = new Map<string, RequestEvent>();
  readonly #denied = new Set<string>();
  #unattended = 0;

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /**
   * Returns the lines of a request, or none if the user is not asked. `isShown` is true if the line above already shows
   * the tool's input.
   */
  request(event: RequestEvent, { isShown }: { isShown: boolean }): string[] {
    this.#requests.set(event.requestId, event);
    if (event.verdict !== "ask") return [];
    return requestLines(event, this.#colors, { isShown });
  }

  /** Returns the line of an answer, or none if the policy allowed the request. */
  response({ requestId, decision, by, text, rule }: ResponseEvent): string[] {
    const request = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    const reason = text ? `: ${cleanText(text)}` : "";
    if (decision === "allow") {
      const scope = rule
        ? ` ${by === "rule" ? "by rule" : "from now on"}: ${cleanText(rule.text)}`
        : "";
      return by === "policy" ? [] : [this.#colors.green(`  ✓ allowed${reason}${scope}`)];
    }
    if (request?.callId) this.#denied.add(request.callId);
    if (by === "policy" && request?.verdict === "ask") this.#unattended += 1;
    const decider = by === "user" ? "" : ` by ${by}`;
    return [this.#colors.red(`  ✗ denied${reason || decider}`)];
  }

  /** Returns true once per denied call. The caller omits the error result, which only repeats the denial. */
  isDenied(callId: string): boolean {
    return this.#denied.delete(callId);
  }

  /** Explains how to allow actions, if requests were denied because no user could answer. */
  advice(): string[] {
    if (this.#unattended === 0) return [];
    this.#unattended = 0;
    return [this.#colors.yellow(`  ${UNATTENDED}`)];
  }
}

const UNATTENDED =
  "No console to ask for permission. To allow actions in advance, use --permissions allow-edits or allow-all.";
