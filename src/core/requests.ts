import type { RequestEvent, ResponseEvent } from "../schema/event.ts";
import type { RequestId } from "../schema/id.ts";
import type {
  Answer,
  PermissionPolicy,
  PermissionRule,
  RequestOption,
} from "../schema/permission.ts";
import type { Clock } from "./clock.ts";
import type { RequestDraft, SettledDraft } from "./draft.ts";
import { HalyardError } from "./error.ts";
import { newRequestId } from "./id.ts";
import { alwaysOption, coverOf, findRule } from "./lasting-rules.ts";
import type { PathScope } from "./path-policy.ts";
import { judge } from "./permissions.ts";

export interface RequestsOptions {
  /** As it is now: it may change while the session runs. */
  policy(): PermissionPolicy;
  /** What a person has allowed for the rest of the session. */
  rules(): readonly PermissionRule[];
  /** What the paths of an edit are judged against. */
  readonly scope: PathScope;
  /** Somebody is there to answer. */
  readonly attended: boolean;
  /** How long they may take; 0 is for ever. */
  readonly limitMs: number;
  readonly clock: Clock;
  /** Writes the response down and tells the runtime. */
  settle(nativeId: string, response: ResponseEvent): void;
}

interface OpenRequest {
  readonly nativeId: string;
  readonly options: readonly RequestOption[];
  timer: NodeJS.Timeout | undefined;
}

/** The requests a runtime waits on. Each is settled exactly once: by the policy, by somebody, or by time. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #open = new Map<RequestId, OpenRequest>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** The request as it goes into the log. It is open from now on; `decide` follows once it is written. */
  open(draft: RequestDraft): RequestEvent {
    const { attended, limitMs, clock } = this.#options;
    const event: RequestEvent = { ...this.#judged(draft), requestId: newRequestId() };
    this.#add(event.requestId, event);
    if (event.verdict !== "ask" || !attended || limitMs === 0) return event;
    const expiresAt = new Date(clock.now().getTime() + limitMs).toISOString();
    return { ...event, expiresAt };
  }

  /** A rule decides what the policy leaves to a person; where none does, the person is offered to make one. */
  #judged(draft: RequestDraft): Omit<RequestEvent, "requestId"> {
    const { policy, rules, scope, attended } = this.#options;
    const { paths: _, command: __, ...asked } = draft;
    const judgement = judge(policy(), draft, scope);
    if (judgement.verdict !== "ask") return { ...asked, ...judgement };
    const cover = coverOf(draft, scope);
    const rule = cover && findRule(rules(), cover);
    if (rule) return { ...asked, verdict: "allow", rule };
    if (cover === undefined || !attended) return { ...asked, ...judgement };
    const options = [...asked.options, alwaysOption(cover, asked.options)];
    return { ...asked, ...judgement, options };
  }

  /** Takes up a request that an earlier process had open. */
  restore(event: RequestEvent): void {
    this.#add(event.requestId, event);
  }

  forget(requestId: RequestId): void {
    this.#open.delete(requestId);
  }

  /** Applies the policy to a request that is written down, or has it wait for somebody. */
  decide({ requestId, verdict, rule, expiresAt }: RequestEvent): void {
    const denied = (text: string): Answer => ({ decision: "deny", text });
    if (verdict === "allow") {
      const by = rule ? "rule" : "policy";
      this.#settle(requestId, { decision: "allow" }, by, rule);
    } else if (verdict === "deny") {
      this.#settle(requestId, denied("denied by the session's policy"), "policy");
    } else if (!this.#options.attended) {
      this.#settle(requestId, denied("nobody is there to answer, so it was denied"), "policy");
    } else if (expiresAt !== undefined) {
      const { clock, limitMs } = this.#options;
      const leftMs = Date.parse(expiresAt) - clock.now().getTime();
      this.#expire(requestId, limitMs === 0 ? leftMs : Math.min(leftMs, limitMs)); // the clock may have gone back
    }
  }

  answer(requestId: RequestId, answer: Answer): void {
    const request = this.#open.get(requestId);
    if (request === undefined) {
      throw new HalyardError(
        "request_not_found",
        `${requestId} is not open: it was answered or its turn has ended`,
      );
    }
    requireOffered(answer, request);
    const cover = request.options.find(({ id }) => id === answer.optionId)?.rule;
    this.#settle(requestId, answer, "user", cover && { id: ruleId(requestId), ...cover });
  }

  /** What the runtime has settled by itself, as it goes into the log; undefined where that was our answer. */
  settledBy({ nativeId, decision }: SettledDraft): ResponseEvent | undefined {
    const [requestId, request] =
      [...this.#open].find(([, open]) => open.nativeId === nativeId) ?? [];
    if (requestId === undefined) return undefined;
    clearTimeout(request?.timer);
    this.#open.delete(requestId);
    return { type: "response", requestId, decision, by: "runtime" };
  }

  get size(): number {
    return this.#open.size;
  }

  /** The turn has ended: what is still open is denied, and the runtime need not be told. */
  close(): ResponseEvent[] {
    const text = "the turn ended before it was answered";
    return [...this.#open].map(([requestId, { timer }]) => {
      clearTimeout(timer);
      this.#open.delete(requestId);
      return { type: "response", requestId, decision: "deny", text, by: "policy" };
    });
  }

  #add(requestId: RequestId, { nativeId, options }: Pick<OpenRequest, "nativeId" | "options">) {
    this.#open.set(requestId, { nativeId, options, timer: undefined });
  }

  #expire(requestId: RequestId, leftMs: number): void {
    const request = this.#open.get(requestId);
    if (request === undefined) return;
    request.timer = setTimeout(() => {
      const text = "nobody answered in time, so it was denied";
      this.#settle(requestId, { decision: "deny", text }, "timeout");
    }, leftMs);
  }

  #settle(
    requestId: RequestId,
    answer: Answer,
    by: ResponseEvent["by"],
    rule?: PermissionRule,
  ): void {
    const request = this.#open.get(requestId);
    if (request === undefined) return;
    this.#open.delete(requestId);
    clearTimeout(request.timer);
    const response = { type: "response", requestId, ...answer, by, ...(rule && { rule }) } as const;
    this.#options.settle(request.nativeId, response);
  }
}

/** The answer as the runtime gets it: a rule is ours, and the runtime hears of a single yes. */
export function answerOf({ decision, optionId, text, rule }: ResponseEvent): Answer {
  return {
    decision,
    ...(optionId !== undefined && rule === undefined && { optionId }),
    ...(text !== undefined && { text }),
  };
}

/** A rule is named after the request that it was made for. */
function ruleId(requestId: RequestId): string {
  return requestId.replace(/^req_/, "rule_");
}

/** An option that says otherwise than the decision would be what the runtime goes by. */
function requireOffered({ decision, optionId }: Answer, { options }: OpenRequest): void {
  if (optionId === undefined) return;
  const option = options.find(({ id }) => id === optionId);
  if (option?.decision === decision) return;
  const fitting = options.filter((each) => each.decision === decision).map(({ id }) => id);
  const problem = option
    ? `"${optionId}" is no way to ${decision}`
    : `"${optionId}" was not offered`;
  const hint = fitting.length > 0 ? `choose one of ${fitting.join(", ")}` : "leave it out";
  throw new HalyardError("invalid_input", `optionId: ${problem}; ${hint}`);
}
