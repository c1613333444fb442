import { type Conversation, leaveOpen } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { type ConnectOptions, createStage, type Stage } from "./stage.ts";

/**
 * A stage that a file's tests share. The scripted model is reset for each test; the conversations are not. A test
 * disposes the conversations that it opens, and must not leave a turn open in the two shared ones.
 */
export interface SharedStage extends Stage {
  /** A conversation with the policy `allow-all`. */
  readonly conversation: Conversation;
  /** Returns a conversation with the policy `ask` and sets its answers. */
  asking(answer?: ConnectOptions["answer"]): Promise<Conversation>;
}

/** Holds the shared stage of a test file. `get` creates the stage on first use, and again after `drop`. */
export class SharedStageCache implements AsyncDisposable {
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
