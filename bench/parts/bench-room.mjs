import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHalyard } from "../../dist/create-halyard.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

/**
 * A directory to work in, and a Halyard of its own that keeps its sessions on disk beside it.
 * @implements {AsyncDisposable}
 */
export class BenchRoom {
  /**
   * @param {string} root
   * @param {import("../../dist/core/halyard.js").Halyard} halyard
   */
  constructor(root, halyard) {
    this.root = root;
    this.halyard = halyard;
    this.cwd = join(root, "work");
  }

  static async open() {
    const root = await mkdtemp(join(tmpdir(), "halyard-bench-"));
    await mkdir(join(root, "work"));
    const adapters = [fakeAdapter()];
    return new BenchRoom(root, await createHalyard({ home: join(root, "home"), env: {}, adapters }));
  }

  /** Starts a fake agent and waits until it takes messages. */
  async startFake() {
    const session = await this.halyard.start({
      runtime: "fake",
      cwd: this.cwd,
      permissions: "allow-all",
    });
    await session.ready();
    return session;
  }

  async [Symbol.asyncDispose]() {
    await this.halyard[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true, force: true });
  }
}
