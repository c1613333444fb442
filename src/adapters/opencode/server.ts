import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import { exitWords } from "../../core/exit-words.ts";
import type { HostProcess } from "../../core/host.ts";
import { Client } from "./client.ts";
import { EventFeed } from "./event-feed.ts";
import type { ServerFiles } from "./server-files.ts";

export interface ServerParts {
  readonly process: HostProcess;
  readonly files: ServerFiles;
  readonly password: string;
  /** How a server is reached from here, where not by the address it listens on. */
  readonly reach?: ((url: string) => string | Promise<string>) | undefined;
}

/** A running server, and the one stream of its events. */
export class Server {
  readonly files: ServerFiles;
  readonly process: HostProcess;
  /** Resolves once it can be talked to. */
  readonly ready: Promise<ReadyServer>;
  /** Why it is gone, once it is. */
  readonly gone: Promise<HalyardError>;
  readonly #parts: ServerParts;
  #client: Client | undefined;
  #feed: EventFeed | undefined;
  #isOver = false;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.files = parts.files;
    this.process = parts.process;
    this.gone = this.#watch();
    this.ready = this.#becomeReady();
    this.ready.catch(() => {}); // for whoever wants to talk to it
  }

  /** Rejects unless the server says of itself that it is well. */
  async ping(): Promise<void> {
    const { client } = await this.ready;
    await client.get("/global/health", Health, { timeoutMs: HEALTH_MS });
  }

  /** Running tools die with what they work for, which a signal alone would not do. */
  async stop(graceMs: number): Promise<void> {
    this.#isOver = true;
    this.#feed?.close();
    if ((await this.process.health()) === "alive") await this.#client?.dispose(graceMs);
    await this.process.terminate({ graceMs });
    await this.files.remove();
  }

  /** It goes on without us. */
  async letGo(): Promise<void> {
    this.#isOver = true;
    this.#feed?.close();
    await this.process.detach();
  }

  async #becomeReady(): Promise<ReadyServer> {
    const url = await this.#listening();
    const reached = (await this.#parts.reach?.(url)) ?? url;
    const client = new Client(reached, this.#parts.password);
    const { version } = await client.get("/global/health", Health, { timeoutMs: HEALTH_MS });
    if (isTooOld(version))
      throw new HalyardError(
        "runtime_unavailable",
        `OpenCode ${version} is too old; 1.1 or later is needed`,
      );
    const feed = new EventFeed(client);
    this.#client = client;
    this.#feed = feed;
    if (this.#isOver) feed.close();
    await feed.connected;
    return { client, feed, version };
  }

  /** Before it has said where it listens, it takes connections and never answers. */
  async #listening(): Promise<string> {
    const decoder = new TextDecoder();
    let said = "";
    for await (const { bytes } of this.process.output()) {
      said += decoder.decode(bytes, { stream: true });
      const url = /listening on (https?:\/\/\S+)\s/.exec(said)?.[1];
      if (url !== undefined) return url;
    }
    if (this.#isOver)
      throw new HalyardError("session_stopped", "nobody waits for OpenCode's server any more");
    const reason = (await this.gone).message;
    throw new HalyardError("start_failed", `OpenCode's server did not start: ${reason}`);
  }

  async #watch(): Promise<HalyardError> {
    const how = exitWords(await this.process.exit);
    this.#feed?.close();
    const stderr = (await this.process.stderrTail().catch(() => "")).trim().slice(-STDERR_LENGTH);
    if (!this.#isOver) await this.#clearAway().catch(() => {}); // that it is gone matters more
    return new HalyardError("agent_exited", `OpenCode's server ${how}${stderr && `: ${stderr}`}`);
  }

  /** The commands it ran outlive a server that was killed. */
  async #clearAway(): Promise<void> {
    await this.process.terminate({ graceMs: 0 });
    await this.files.remove();
  }
}

export interface ReadyServer {
  readonly client: Client;
  readonly feed: EventFeed;
  readonly version: string;
}

/** Any unknown path is answered with a page and a status of 200: only this tells that it is well. */
const Health = z.looseObject({ healthy: z.literal(true), version: z.string() });

const HEALTH_MS = 10_000;
const STDERR_LENGTH = 2000;

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 1 || (major === 1 && minor < 1);
}
