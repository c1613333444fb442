import type { Exit, HostProcess } from "../../../contracts/host.ts";
import type { TerminalState } from "../events/tools.ts";

/** A command that Halyard runs for the agent, with its output so far. */
export class ClientTerminal {
  readonly #process: HostProcess;
  readonly #limit: number;
  readonly #detached = new AbortController();
  readonly #read: Promise<void>;
  #bytes: Buffer = Buffer.alloc(0);
  #isTruncated = false;
  #exit: Exit | undefined;

  constructor(process: HostProcess, limit = OUTPUT_LIMIT) {
    this.#process = process;
    this.#limit = limit;
    this.#read = this.#collectOutput().catch(() => {}); // wait() reports the exit even if the output cannot be read
  }

  get state(): TerminalState {
    const { code } = this.#exit ?? {};
    return {
      output: this.#bytes.toString("utf8"),
      exitCode: code,
      hasEnded: this.#exit !== undefined,
    };
  }

  output(): Record<string, unknown> {
    const exitStatus = this.#exit && toStatus(this.#exit);
    const output = this.#bytes.toString("utf8");
    return { output, truncated: this.#isTruncated, ...(exitStatus && { exitStatus }) };
  }

  /** Resolves when the command has exited and its output is complete. */
  async wait(): Promise<Record<string, unknown>> {
    await this.#read;
    return toStatus(await this.#process.exit);
  }

  async end(graceMs: number): Promise<void> {
    await this.#process.terminate({ graceMs });
    await this.#read;
  }

  async detach(): Promise<void> {
    this.#detached.abort();
    await this.#process.detach();
  }

  async #collectOutput(): Promise<void> {
    const { signal } = this.#detached;
    for await (const { bytes } of this.#process.output({ signal })) this.#add(bytes);
    if (!signal.aborted) this.#exit = await this.#process.exit;
  }

  /** Appends output. If the output exceeds the limit, drops its start at a character boundary. */
  #add(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#bytes, bytes]);
    let from = Math.max(0, all.length - this.#limit);
    while (from > 0 && from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    this.#isTruncated ||= from > 0;
    this.#bytes = all.subarray(from);
  }
}

/** The default output limit, in bytes. */
const OUTPUT_LIMIT = 1024 * 1024;

function toStatus({ code, signal }: Exit): Record<string, unknown> {
  return { exitCode: code ?? null, signal: signal ?? null };
}
