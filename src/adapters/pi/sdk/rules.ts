import type { ConnectionSettings } from "../../../contracts/adapter.ts";
import { PROVIDER } from "../model/model.ts";
import type { ToolPaths } from "../plan-tools.ts";
import { type Rules, type RulesRequest, rulesFor } from "../policy.ts";
import type { Model } from "./model.ts";
import type { PiSession } from "./session.ts";

/** The model and the policy of an in-process session, for the current turn and for the next turn. */
export class SdkRules {
  readonly #toolPaths: ToolPaths;
  #request: RulesRequest;
  #now: Rules;
  #next: Rules;
  #nextModel: Model | undefined;
  #usualTools: string[] = [];

  static async create(request: RulesRequest, toolPaths: ToolPaths): Promise<SdkRules> {
    return new SdkRules(request, toolPaths, await rulesFor(request, toolPaths));
  }

  private constructor(request: RulesRequest, toolPaths: ToolPaths, rules: Rules) {
    this.#request = request;
    this.#toolPaths = toolPaths;
    this.#now = rules;
    this.#next = rules;
  }

  get now(): Rules {
    return this.#now;
  }

  /** Activates the tools that the policy allows in a new session. */
  begin(session: PiSession): void {
    const { disabled, only } = this.#now;
    this.#usualTools = session.getActiveToolNames().filter((name) => !disabled.includes(name));
    session.setActiveToolsByName([...(only ?? this.#usualTools)]);
  }

  /** Changes the model and the policy for the next turn. */
  async change(
    { model: id, ...policy }: ConnectionSettings,
    find: (id: string) => Model,
  ): Promise<void> {
    if (id !== undefined) this.#nextModel = find(id);
    this.#request = { ...this.#request, ...policy };
    this.#next = await rulesFor(this.#request, this.#toolPaths);
  }

  /** Applies the changes to the session. Must be called between two turns. */
  async apply(session: PiSession): Promise<void> {
    const before = this.#now;
    this.#now = this.#next;
    const { only, thinking } = this.#now;
    if (!before.only && only) this.#usualTools = session.getActiveToolNames();
    if (!before.only !== !only) session.setActiveToolsByName([...(only ?? this.#usualTools)]);
    const model = this.#nextModel ?? session.model;
    const isChanged = this.#nextModel !== undefined || before.thinking !== thinking;
    this.#nextModel = undefined;
    if (!isChanged || model === undefined) return;
    // Not every model behind an endpoint accepts a reasoning level: see `providerConfig`.
    const reasons = model.provider === PROVIDER && thinking && { reasoning: thinking !== "off" };
    await session.setModel({ ...model, ...reasons });
    if (thinking) session.setThinkingLevel(thinking);
  }
}
