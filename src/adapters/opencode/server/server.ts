import { z } from "zod";
import { exitWords } from "../../../adapter-kit/exit-words.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { isOlder } from "../../../programs/program.ts";
import { EventFeed } from "../events/event-feed.ts";
import { OLDEST } from "../find.ts";
import { Client } from "./client.ts";
import type { ServerFiles } from "./server-files.ts";

export interface ServerParts {
  readonly process: HostProcess;
  readonly files: ServerFiles;
  readonly password: string;
  /** Maps the server's address to one that this process can reach. */
  readonly reach?: ((url: string) => string | Promise<string>) | undefined;
}

/** A running server and its event stream. */
export class Server {
  readonly files: ServerFiles;
  readonly process: HostProcess;
  /** Resolves when the server responds and its event stream is connected. Rejects if the start fails. */
  readonly ready: Promise<ReadyServer>;
  /** Resolves with the reason when the server has exited. */
  readonly gone: Promise<HalyardError>;
  readonly #parts: ServerParts;
  #client: Client | undefined;
  #feed: EventFeed | undefined;
  #hasEnded = false;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.files = parts.files;
    this.process = parts.process;
    this.gone = this.#watch();
    this.ready = this.#connect();
    this.ready.catch(() => {}); // the users of the server receive the error
  }

  /** Rejects if the server does not report that it is healthy. */
  async ping(): Promise<void> {
    const { client } = await this.ready;
    await client.get("/global/health", Health, { timeoutMs: HEALTH_MS });
  }

  /** Stops the server. `dispose` ends running tools, which would survive a signal. */
  async stop(graceMs: number): Promise<void> {
    this.#hasEnded = true;
    this.#feed?.close();
    if ((await this.process.health()) === "alive") await this.#client?.dispose(graceMs);
    await this.process.terminate({ graceMs });
    await this.files.remove();
  }

  /** Detaches from the server, which continues to run. */
  async detach(): Promise<void> {
    this.#hasEnded = true;
    this.#feed?.close();
    await this.process.detach();
  }

  async #connect(): Promise<ReadyServer> {
    const url = await this.#readAddress();
    const reached = (await this.#parts.reach?.(url)) ?? url;
    const client = new Client(reached, this.#parts.password);
    const { version } = await client.get("/global/health", Health, { timeoutMs: HEALTH_MS });
    if (isOlder(version, OLDEST))
      throw new HalyardError(
        "runtime_unavailable",
        `OpenCode ${version} is too old: ${OLDEST} is the oldest supported version. Run "halyard runtime install opencode".`,
      );
    const feed = new EventFeed(client);
    this.#client = client;
    this.#feed = feed;
    if (this.#hasEnded) feed.close();
    await feed.connected;
    return { client, feed, version };
  }

  /**
   * Reads the address from the output. Before it prints the address, the server accepts connections but does not
   * respond.
   */
  async #readAddress(): Promise<string> {
    const decoder = new TextDecoder();
    let output = "";
    for await (const { bytes } of this.process.output()) {
      output += decoder.decode(bytes, { stream: true });
      const url = /listening on (https?:\/\/\S+)\s/.exec(output)?.[1];
      if (url !== undefined) return url;
    }
    if (this.#hasEnded)
      throw new HalyardError(
        "session_stopped",
        "The session stopped before the OpenCode server was ready. Resume the session to try again.",
      );
    const reason = (await this.gone).message;
    throw new HalyardError(
      "start_failed",
      `The OpenCode server did not start. Run "halyard runtime doctor opencode" to check OpenCode. Reason: ${reason}`,
    );
  }

  async #watch(): Promise<HalyardError> {
    const how = exitWords(await this.process.exit);
    this.#feed?.close();
    const stderr = (await this.process.stderrTail().catch(() => "")).trim().slice(-STDERR_LENGTH);
    if (!this.#hasEnded) await this.#cleanUp().catch(() => {}); // the server's exit is reported in any case
    return new HalyardError("agent_exited", `The OpenCode server ${how}${stderr && `: ${stderr}`}`);
  }

  /** Kills commands that survive a killed server, and removes the server's files. */
  async #cleanUp(): Promise<void> {
    await this.process.terminate({ graceMs: 0 });
    await this.files.remove();
  }
}

export interface ReadyServer {
  readonly client: Client;
  readonly feed: EventFeed;
  readonly version: string;
}

/**
 * The response from the health route. The body is checked, because the server responds to unknown paths with a page and
 * status 200.
 */
const Health = z.looseObject({ healthy: z.literal(true), version: z.string() });

const HEALTH_MS = 10_000;
const STDERR_LENGTH = 2000;
