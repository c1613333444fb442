import type { Clock } from "../contracts/clock.ts";
import type { RequestDraft, SettledDraft } from "../contracts/event-draft.ts";
import { HalyardError } from "../errors/error.ts";
import { requestNotOpen } from "../errors/request-not-open.ts";
import { newRequestId } from "../errors/require-id.ts";
import type { ExceededBudget } from "../schema/budget.ts";
import type { RequestEvent, ResponseEvent } from "../schema/event.ts";
import type { RequestId } from "../schema/id.ts";
import type {
  Answer,
  PermissionPolicy,
  PermissionRule,
  RequestOption,
} from "../schema/permission.ts";
import { judge } from "./judge.ts";
import { alwaysOption, coverOf, findRule } from "./lasting-rules.ts";
import type { PathScope } from "./path-policy.ts";

/** Options of `Requests`. */
export interface RequestsOptions {
  /** Returns the current policy, which may change while the session runs. */
  policy(): PermissionPolicy;
  /** Returns the rules that users created for the rest of the session. */
  rules(): readonly PermissionRule[];
  /** The directories that the paths of an edit are checked against. */
  readonly scope: PathScope;
  /** True if a user answers requests. */
  readonly attended: boolean;
  /** The time limit of an answer in milliseconds. 0 means no limit. */
  readonly limitMs: number;
  readonly clock: Clock;
  /** Records the response and sends it to the runtime. */
  settle(nativeId: string, response: ResponseEvent): void;
}

interface OpenRequest {
  readonly nativeId: string;
  readonly options: readonly RequestOption[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * The requests that wait for an answer. Each request is settled exactly once: by the policy, a rule, a user, a timeout,
 * the runtime itself, or the end of the turn.
 */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #open = new Map<RequestId, OpenRequest>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Opens a request and returns its log event. Call `decide` when the event is recorded. */
  open(draft: RequestDraft): RequestEvent {
    const { attended, limitMs, clock } = this.#options;
    const event: RequestEvent = { ...this.#judged(draft), requestId: newRequestId() };
    this.#add(event.requestId, event);
    if (event.verdict !== "ask" || !attended || limitMs === 0) return event;
    const expiresAt = new Date(clock.now().getTime() + limitMs).toISOString();
    return { ...event, expiresAt };
  }

  /** Opens Halyard's own request to extend a budget. The request has no time limit, and no policy or rule allows it. */
  openBudget(budget: ExceededBudget, text: string, options: RequestOption[]): RequestEvent {
    const event: RequestEvent = {
      type: "request",
      requestId: newRequestId(),
      nativeId: BUDGET_REQUEST,
      kind: "budget",
      text,
      options,
      verdict: "ask",
      budget,
    };
    this.#add(event.requestId, event);
    return event;
  }

  /**
   * Judges a request by the policy and, if the policy asks, by the rules. If no rule covers the request, adds an option
   * that creates a rule, unless the session is unattended or no safe rule exists.
   */
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

  /** Adds a request that an earlier process left open. */
  restore(event: RequestEvent): void {
    this.#add(event.requestId, event);
  }

  forget(requestId: RequestId): void {
    this.#open.delete(requestId);
  }

  /**
   * Settles a recorded request if its verdict is `allow` or `deny`. Otherwise waits for an answer, or denies the request if
   * the session is unattended.
   */
  decide({ requestId, verdict, rule, expiresAt }: RequestEvent): void {
    const denied = (text: string): Answer => ({ decision: "deny", text });
    if (verdict === "allow") {
      const by = rule ? "rule" : "policy";
      this.#settle(requestId, { decision: "allow" }, by, rule);
    } else if (verdict === "deny") {
      this.#settle(requestId, denied("denied by the session's policy"), "policy");
    } else if (!this.#options.attended) {
      this.#settle(requestId, denied("denied because no one is available to answer"), "policy");
    } else if (expiresAt !== undefined) {
      const { clock, limitMs } = this.#options;
      const leftMs = Date.parse(expiresAt) - clock.now().getTime();
      // limits the wait, in case the system clock was set back
      this.#expire(requestId, limitMs === 0 ? leftMs : Math.min(leftMs, limitMs));
    }
  }

  answer(requestId: RequestId, answer: Answer): void {
    const request = this.#open.get(requestId);
    if (request === undefined) {
      throw requestNotOpen(requestId);
    }
    requireOffered(answer, request);
    const cover = request.options.find(({ id }) => id === answer.optionId)?.rule;
    this.#settle(requestId, answer, "user", cover && { id: ruleId(requestId), ...cover });
  }

  /**
   * Returns the response for a request that the runtime settled itself. Returns undefined if no open request has this
   * native id, for example because the request was already answered.
   */
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

  /** Denies the open requests of a turn that ends or is suspended, and returns the responses. The runtime needs no answer. */
  close(): ResponseEvent[] {
    const text = "the turn ended before the request was answered";
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
      const text = "denied because the request was not answered in time";
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

/** The native id of a budget request, which the runtime does not know. */
export const BUDGET_REQUEST = "halyard:budget";

/**
 * Returns the answer for the runtime. Omits an option that created a rule: only Halyard stores rules, so the runtime
 * receives a one-time approval.
 */
export function answerOf({ decision, optionId, text, rule }: ResponseEvent): Answer {
  return {
    decision,
    ...(optionId !== undefined && rule === undefined && { optionId }),
    ...(text !== undefined && { text }),
  };
}

/** Derives the id of a rule from the request that created it. */
function ruleId(requestId: RequestId): string {
  return requestId.replace(/^req_/, "rule_");
}

/**
 * Throws `invalid_input` if the option was not offered or contradicts the decision, because the runtime would follow
 * the option.
 */
function requireOffered({ decision, optionId }: Answer, { options }: OpenRequest): void {
  if (optionId === undefined) return;
  const option = options.find(({ id }) => id === optionId);
  if (option?.decision === decision) return;
  const fitting = options.filter((each) => each.decision === decision).map(({ id }) => id);
  const problem = option
    ? `"${optionId}" is not an option to ${decision}`
    : `"${optionId}" was not offered`;
  const hint = fitting.length > 0 ? `Choose one of: ${fitting.join(", ")}.` : "Omit optionId.";
  throw new HalyardError("invalid_input", `optionId: ${problem}. ${hint}`);
}
