import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { Host, HostProcess } from "../../core/host.ts";
import { withEnding } from "../../core/with-ending.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { within } from "./client-files.ts";
import type { ClientRequest } from "./client-requests.ts";
import { ClientTerminal } from "./client-terminal.ts";
import { INVALID_PARAMS } from "./failure.ts";
import type { ToldTerminal } from "./tools.ts";

type CreateParams = Extract<ClientRequest, { method: "terminal/create" }>["params"];

export interface TerminalsOptions {
  readonly host: Host;
  readonly cwd: string;
  readonly runDir: string;
  /** The whole environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly stopMs: number;
}

/** The commands that run for an agent of version 1. They outlive us as the agent does, and are found again with it. */
export class ClientTerminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, ClientTerminal>();
  readonly #creating = new Set<Promise<unknown>>();
  #count = 0;
  #isEnding = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  find(id: string): ToldTerminal | undefined {
    return this.#terminals.get(id)?.told;
  }

  async create(params: CreateParams): Promise<{ terminalId: string }> {
    if (this.#isEnding) throw new JsonRpcError(INVALID_PARAMS, "the session is being ended");
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
    const place = params.cwd ? within({ cwd, protectedDirs: [] }, params.cwd).real : cwd;
    const added = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
    this.#count += 1;
    const terminalId = `terminal-${this.#count}`;
    const directory = join(terminalsIn(runDir), terminalId);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const command = {
      file: "/bin/sh",
      args: shellArguments(params),
      cwd: place,
      env: { ...env, ...added },
    };
    const process = await host.spawn(command, { runDir: directory }).catch((error) => {
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
      throw new JsonRpcError(INVALID_PARAMS, `there is no terminal ${terminalId}`);
    switch (request.method) {
      case "terminal/output":
        return terminal.output();
      case "terminal/wait_for_exit":
        return terminal.wait();
      case "terminal/kill":
      case "terminal/release": // what it said is kept, for the tool call that it belongs to
        await terminal.end(this.#options.stopMs);
        return {};
    }
  }

  /** Takes hold again of what an earlier process started. */
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
    await Promise.allSettled(this.#creating); // one that has been started and is not known yet would be left behind
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
 * Output and error belong together, as in a terminal. What comes as one text is a command line of the agent's, as it
 * would give it to its own shell; nothing of ours is in it.
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

/** The agent with the commands that run for it: to end it is to end them too. */
export async function findWithTerminals({
  host,
  runDir,
}: Pick<TerminalsOptions, "host" | "runDir">): Promise<HostProcess | undefined> {
  const process = await host.attach(runDir);
  if (process === undefined) return undefined;
  return withEnding(process, {
    async terminate({ graceMs }) {
      const place = { host, runDir, cwd: runDir, env: {} };
      const terminals = new ClientTerminals({ ...place, stopMs: graceMs });
      await terminals.attach();
      await Promise.all([process.terminate({ graceMs }), terminals.end()]);
    },
  });
}
