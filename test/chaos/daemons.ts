import { setTimeout as sleep } from "node:timers/promises";
import { connectHalyard } from "../../src/client/index.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { findDaemon } from "../../src/daemon/find.ts";
import type { User } from "../cli/start-cli.ts";
import { type FakeDaemon, startFakeDaemon } from "../daemon/scene.ts";
import type { Chance } from "./chance.ts";

/** A daemon that is killed and restarted repeatedly. */
export class Daemons {
  readonly #user: User;
  readonly #chance: Chance;
  #current: FakeDaemon | undefined;
  kills = 0;

  constructor(user: User, chance: Chance) {
    this.#user = user;
    this.#chance = chance;
  }

  async start(): Promise<void> {
    this.#current = await startFakeDaemon(this.#user);
  }

  /** Kills and restarts the daemon until the signal aborts. Leaves a daemon running. */
  async torment(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#chance.between(500, 4_000), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.end(this.#chance.is(0.7) ? "SIGKILL" : "SIGTERM");
      this.kills++;
      if (this.#chance.is(0.3)) await sleep(this.#chance.between(0, 1_500));
      await this.start();
    }
  }

  async end(how: NodeJS.Signals): Promise<void> {
    await this.#current?.end(how);
  }

  /** Calls the function with a connection. Retries after any error for up to 60 s, because the daemon may be killed. */
  async through<T>(work: (halyard: Halyard) => Promise<T>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const daemon = await findDaemon(this.#user.home);
        if (!daemon) throw new Error("No daemon responds.");
        await using halyard = await connectHalyard(daemon, { reconnectMs: 5_000 });
        return await work(halyard);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }
}

const PATIENCE_MS = 60_000;
