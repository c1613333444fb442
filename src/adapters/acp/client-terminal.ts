import type { Exit, HostProcess } from "../../core/host.ts";
import type { ToldTerminal } from "./tools.ts";

/** A command that runs for the agent, and what it has written so far. */
export class ClientTerminal {
  readonly #process: HostProcess;
  readonly #limit: number;
  readonly #letGo = new AbortController();
  readonly #read: Promise<void>;
  #bytes: Buffer = Buffer.alloc(0);
  #isTruncated = false;
  #exit: Exit | undefined;

  constructor(process: HostProcess, limit = OUTPUT_LIMIT) {
    this.#process = process;
    this.#limit = limit;
    this.#read = this.#listen().catch(() => {}); // what cannot be read is missing, and the exit is told all the same
  }

  get told(): ToldTerminal {
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

  /** Resolves once the command has ended and all it wrote is read. */
  async wait(): Promise<Record<string, unknown>> {
    await this.#read;
    return toStatus(await this.#process.exit);
  }

  async end(graceMs: number): Promise<void> {
    await this.#process.terminate({ graceMs });
    await this.#read;
  }

  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#process.detach();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#letGo;
    for await (const { bytes } of this.#process.output({ signal })) this.#add(bytes);
    if (!signal.aborted) this.#exit = await this.#process.exit;
  }

  /** The end of it counts more than the beginning, and no character is cut in two. */
  #add(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#bytes, bytes]);
    let from = Math.max(0, all.length - this.#limit);
    while (from > 0 && from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    this.#isTruncated ||= from > 0;
    this.#bytes = all.subarray(from);
  }
}

const OUTPUT_LIMIT = 1024 * 1024;

function toStatus({ code, signal }: Exit): Record<string, unknown> {
  return { exitCode: code ?? null, signal: signal ?? null };
}
