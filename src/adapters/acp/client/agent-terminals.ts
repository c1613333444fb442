import type { TerminalState } from "../events/tools.ts";
import type { Update } from "../messages.ts";

interface AgentTerminal {
  chunks: Uint8Array[];
  exitCode: number | undefined;
  hasEnded: boolean;
}

/** The terminals of a version 2 agent, which runs commands itself and reports their output. */
export class AgentTerminals {
  readonly #terminals = new Map<string, AgentTerminal>();

  /** Returns the state of a terminal, or undefined if the id is unknown. */
  find(id: string): TerminalState | undefined {
    const terminal = this.#terminals.get(id);
    if (terminal === undefined) return undefined;
    const { chunks, exitCode, hasEnded } = terminal;
    // all chunks are decoded together, because a character may be split between two chunks
    return { output: Buffer.concat(chunks).toString("utf8"), exitCode, hasEnded };
  }

  update({ terminalId, output, exitStatus }: Update<"terminal_update">): void {
    const terminal = this.#open(terminalId);
    if (output !== undefined) terminal.chunks = output ? [Buffer.from(output.data, "base64")] : [];
    if (!exitStatus) return;
    terminal.hasEnded = true;
    const { exitCode } = exitStatus;
    if (Number.isInteger(exitCode)) terminal.exitCode = Number(exitCode);
  }

  add({ terminalId, data }: Update<"terminal_output_chunk">): void {
    this.#open(terminalId).chunks.push(Buffer.from(data, "base64"));
  }

  #open(id: string): AgentTerminal {
    const terminal = this.#terminals.get(id) ?? {
      chunks: [],
      exitCode: undefined,
      hasEnded: false,
    };
    this.#terminals.set(id, terminal);
    return terminal;
  }
}
