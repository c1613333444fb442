import type { Settings } from "../../core/adapter.ts";
import { PROVIDER } from "./model.ts";
import type { Where } from "./plan-tools.ts";
import { type Ruled, type Rules, rulesFor } from "./policy.ts";
import type { Model } from "./sdk-model.ts";
import type { PiSession } from "./sdk-session.ts";

/** The rules of a session in this process, and what they are to be from its next turn on. */
export class SdkRules {
  readonly #where: Where;
  #request: Ruled;
  #now: Rules;
  #next: Rules;
  #nextModel: Model | undefined;
  #usualTools: string[] = [];

  static async create(request: Ruled, where: Where): Promise<SdkRules> {
    return new SdkRules(request, where, await rulesFor(request, where));
  }

  private constructor(request: Ruled, where: Where, rules: Rules) {
    this.#request = request;
    this.#where = where;
    this.#now = rules;
    this.#next = rules;
  }

  get now(): Rules {
    return this.#now;
  }

  /** Has a session that was just opened keep to them. */
  begin(session: PiSession): void {
    const { disabled, only } = this.#now;
    this.#usualTools = session.getActiveToolNames().filter((name) => !disabled.includes(name));
    session.setActiveToolsByName([...(only ?? this.#usualTools)]);
  }

  async change({ model: id, ...policy }: Settings, find: (id: string) => Model): Promise<void> {
    if (id !== undefined) this.#nextModel = find(id);
    this.#request = { ...this.#request, ...policy };
    this.#next = await rulesFor(this.#request, this.#where);
  }

  /** To be called between two turns. */
  async apply(session: PiSession): Promise<void> {
    const before = this.#now;
    this.#now = this.#next;
    const { only, thinking } = this.#now;
    if (!before.only && only) this.#usualTools = session.getActiveToolNames();
    if (!before.only !== !only) session.setActiveToolsByName([...(only ?? this.#usualTools)]);
    const model = this.#nextModel ?? session.model;
    const isAnother = this.#nextModel !== undefined || before.thinking !== thinking;
    this.#nextModel = undefined;
    if (!isAnother || model === undefined) return;
    // Not every model behind an endpoint can be told how hard to think: see `providerConfig`.
    const reasons = model.provider === PROVIDER && thinking && { reasoning: thinking !== "off" };
    await session.setModel({ ...model, ...reasons });
    if (thinking) session.setThinkingLevel(thinking);
  }
}
