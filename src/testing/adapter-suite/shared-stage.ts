import { type Conversation, leaveOpen } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { type ConnectOptions, createStage, type Stage } from "./stage.ts";

/**
 * A stage that goes on from test to test, for those that do not mind what was said and done before; of that its model
 * knows nothing. A test disposes of what it opens itself, and leaves the two conversations at the end of a turn.
 */
export interface SharedStage extends Stage {
  /** May do everything. */
  readonly conversation: Conversation;
  /** One that asks first, and is answered so from now on. */
  asking(answer?: ConnectOptions["answer"]): Promise<Conversation>;
}

/** The shared stage of a test file: made when first wanted, and anew after a test that failed on it. */
export class KeptStage implements AsyncDisposable {
  readonly #runtime: RuntimeUnderTest;
  #stage: SharedStage | undefined;

  constructor(runtime: RuntimeUnderTest) {
    this.#runtime = runtime;
  }

  async get(): Promise<SharedStage> {
    this.#stage ??= await createSharedStage(this.#runtime);
    return this.#stage;
  }

  async drop(): Promise<void> {
    const stage = this.#stage;
    this.#stage = undefined;
    await stage?.[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drop();
  }
}

async function createSharedStage(runtime: RuntimeUnderTest): Promise<SharedStage> {
  const stage = await createStage(runtime);
  try {
    const conversation = await stage.open();
    let asking: Conversation | undefined;
    return {
      ...stage,
      conversation,
      async asking(answer = leaveOpen) {
        asking ??= await stage.open({ permissions: "ask" });
        asking.answer = answer;
        return asking;
      },
    };
  } catch (error) {
    await stage[Symbol.asyncDispose]();
    throw error;
  }
}
