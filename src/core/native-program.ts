import type { ConnectRequest, Output } from "./adapter.ts";
import { createDeferred } from "./deferred.ts";
import type { HostProcess } from "./host.ts";
import { type NativeStreamOptions, nativeStream } from "./native-stream.ts";

type Listening = Omit<NativeStreamOptions, "attach" | "hear" | "signal">;

/** A running program that speaks line by line, until it is gone or let go of. */
export class NativeProgram {
  readonly #process: HostProcess;
  readonly #request: ConnectRequest;
  readonly #letGo = new AbortController();
  readonly #gone = createDeferred<Error>();

  constructor(process: HostProcess, request: ConnectRequest) {
    this.#process = process;
    this.#request = request;
  }

  get pid(): number {
    return this.#process.identity.pid;
  }

  /** What it says, for one to read: by that it is known to be gone. */
  output({ onEnd, ...options }: Listening): AsyncIterable<readonly Output[]> {
    const { attach, neededFrom, hear } = this.#request;
    return nativeStream(this.#process, {
      ...options,
      attach,
      neededFrom,
      hear,
      signal: this.#letGo.signal,
      onEnd: (reason) => {
        onEnd?.(reason);
        this.#gone.resolve(reason);
      },
    });
  }

  /** The end of a dead program's output tells better why nothing could be written, and is what this rejects with. */
  async write(text: string): Promise<void> {
    try {
      await this.#process.write(text);
    } catch (error) {
      if (!(await this.isDead())) throw error;
      throw await this.#gone.promise;
    }
  }

  async isDead(): Promise<boolean> {
    return (await this.#process.health()) === "dead";
  }

  /** Rejects with the reason of the program's end, should that come first. */
  unlessGone<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#gone.promise.then((reason) => Promise.reject(reason))]);
  }

  /** Leaves it running. */
  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#process.detach();
  }

  /** Ends it and all it started. */
  terminate(): Promise<void> {
    return this.#process.terminate({ graceMs: this.#request.limits.stopMs });
  }
}
