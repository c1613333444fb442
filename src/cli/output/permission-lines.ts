import type { RequestEvent, ResponseEvent } from "../../schema/event.ts";
import { cleanText } from "./clean.ts";
import type { Colors } from "./colors.ts";
import { requestLines } from "./request-lines.ts";

/** Tells of requests and their answers. */
export class PermissionLines {
  readonly #colors: Colors;
  readonly #requests = new Map<string, RequestEvent>();
  readonly #denied = new Set<string>();
  #unheard = 0;

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /** `isShown`: the line just above says already what the tool would do. */
  asked(event: RequestEvent, { isShown }: { isShown: boolean }): string[] {
    this.#requests.set(event.requestId, event);
    if (event.verdict !== "ask") return [];
    return requestLines(event, this.#colors, { isShown });
  }

  answered({ requestId, decision, by, text, rule }: ResponseEvent): string[] {
    const request = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    const reason = text ? `: ${cleanText(text)}` : "";
    if (decision === "allow") {
      const whose = rule
        ? ` ${by === "rule" ? "by rule" : "from now on"}: ${cleanText(rule.text)}`
        : "";
      return by === "policy" ? [] : [this.#colors.green(`  ✓ allowed${reason}${whose}`)];
    }
    if (request?.callId) this.#denied.add(request.callId);
    if (by === "policy" && request?.verdict === "ask") this.#unheard += 1;
    const whose = by === "user" ? "" : ` by ${by}`;
    return [this.#colors.red(`  ✗ denied${reason || whose}`)];
  }

  /** Whether the call was refused, so that its result has nothing to add. */
  isDenied(callId: string): boolean {
    return this.#denied.delete(callId);
  }

  /** What to do where requests were denied because nobody was there. */
  advice(): string[] {
    if (this.#unheard === 0) return [];
    this.#unheard = 0;
    const words =
      "nobody could be asked: --permissions allow-edits or allow-all decides beforehand";
    return [this.#colors.yellow(`  ${words}`)];
  }
}
