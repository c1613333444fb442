import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { withEnding } from "../../../adapter-kit/with-ending.ts";
import type { Host, HostProcess } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { INVALID_PARAMS } from "../events/failure.ts";
import type { TerminalState } from "../events/tools.ts";
import type { ClientRequest } from "./client-requests.ts";
import { within } from "./files.ts";
import { ClientTerminal } from "./terminal.ts";

type CreateParams = Extract<ClientRequest, { method: "terminal/create" }>["params"];

/** Options for `ClientTerminals`. */
export interface TerminalsOptions {
  readonly host: Host;
  readonly cwd: string;
  readonly runDir: string;
  /** The environment of the commands. A request can add variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly stopMs: number;
}

/**
 * Runs commands for a version 1 agent. Like the agent, the commands keep running after a detach, and `attach` finds
 * them again.
 */
export class ClientTerminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, ClientTerminal>();
  readonly #creating = new Set<Promise<unknown>>();
  #count = 0;
  #isEnding = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  find(id: string): TerminalState | undefined {
    return this.#terminals.get(id)?.state;
  }

  async create(params: CreateParams): Promise<{ terminalId: string }> {
    if (this.#isEnding) throw new JsonRpcError(INVALID_PARAMS, "The session is stopping.");
    const creating = this.#create(params);
    this.#creating.add(creating);
    try {
      return await creating;
    } finally {
      this.#creating.delete(creating);
    }
  }

  async #create(params: CreateParams): Promise<{ terminalId: string }> {
    const { host, cwd, runDir, env } = this.#options;
    const directory = params.cwd ? within({ cwd, protectedDirs: [] }, params.cwd).real : cwd;
    const added = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
    this.#count += 1;
    const terminalId = `terminal-${this.#count}`;
    const terminalDir = join(terminalsIn(runDir), terminalId);
    await mkdir(terminalDir, { recursive: true, mode: 0o700 });
    const command = {
      file: "/bin/sh",
      args: shellArguments(params),
      cwd: directory,
      env: { ...env, ...added },
    };
    const process = await host.spawn(command, { runDir: terminalDir }).catch((error) => {
      throw error instanceof HalyardError ? new JsonRpcError(INVALID_PARAMS, error.message) : error;
    });
    this.#terminals.set(
      terminalId,
      new ClientTerminal(process, params.outputByteLimit ?? undefined),
    );
    return { terminalId };
  }

  async answer(
    request: Exclude<ClientRequest, { method: `fs/${string}` | "terminal/create" }>,
  ): Promise<unknown> {
    const { terminalId } = request.params;
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined)
      throw new JsonRpcError(INVALID_PARAMS, `Terminal ${terminalId} does not exist.`);
    switch (request.method) {
      case "terminal/output":
        return terminal.output();
      case "terminal/wait_for_exit":
        return terminal.wait();
      case "terminal/kill":
      case "terminal/release": // the output is kept, because the tool result contains it
        await terminal.end(this.#options.stopMs);
        return {};
    }
  }

  /** Attaches to the commands that an earlier process started. */
  async attach(): Promise<void> {
    const { host, runDir } = this.#options;
    for (const id of await namesIn(runDir)) {
      this.#count = Math.max(this.#count, Number(id.replace("terminal-", "")) || 0);
      const process = await host.attach(join(terminalsIn(runDir), id)).catch(() => undefined);
      if (process) this.#terminals.set(id, new ClientTerminal(process));
    }
  }

  async end(): Promise<void> {
    const { stopMs } = this.#options;
    this.#isEnding = true;
    // wait for commands that are being started, which would otherwise keep running
    await Promise.allSettled(this.#creating);
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.end(stopMs)));
  }

  async detach(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.detach()));
  }
}

const terminalsIn = (runDir: string): string => join(runDir, "terminals");

async function namesIn(runDir: string): Promise<string[]> {
  return readdir(terminalsIn(runDir)).catch(() => []);
}

/**
 * Returns the arguments with which `sh` runs a command and merges stderr into stdout, as in a terminal. A command
 * without arguments is a shell command line.
 */
function shellArguments({
  command,
  args,
}: {
  command: string;
  args?: string[] | null | undefined;
}): string[] {
  if (args && args.length > 0) return ["-c", 'exec 2>&1; exec "$0" "$@"', command, ...args];
  return ["-c", 'exec 2>&1; eval "$0"', command];
}

/**
 * Returns the process of a session's agent, or undefined if the host does not find it. The `terminate` method of the
 * process also terminates the commands that Halyard runs for the agent.
 */
export async function findWithTerminals({
  host,
  runDir,
}: Pick<TerminalsOptions, "host" | "runDir">): Promise<HostProcess | undefined> {
  const process = await host.attach(runDir);
  if (process === undefined) return undefined;
  return withEnding(process, {
    async terminate({ graceMs }) {
      const options = { host, runDir, cwd: runDir, env: {} };
      const terminals = new ClientTerminals({ ...options, stopMs: graceMs });
      await terminals.attach();
      await Promise.all([process.terminate({ graceMs }), terminals.end()]);
    },
  });
}
