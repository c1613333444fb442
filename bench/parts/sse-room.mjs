import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectHalyard } from "../../dist/client/index.js";
import { post } from "./post.mjs";
import { RawAgent } from "./raw-agent.mjs";
import { disposeAfter, inTemporaryDirectory } from "./resources.mjs";
import { SseReader } from "./sse-reader.mjs";

const program = fileURLToPath(new URL("./served-halyard.mjs", import.meta.url));
const token = "bench";

/** @typedef {import("../../dist/schema/event.js").StreamEvent} StreamEvent */

/**
 * @typedef {object} SseRoom
 * @property {() => Promise<import("../../dist/contracts/halyard.js").Session>} start Starts a session of the fake agent on the server.
 * @property {(id: string, onEvents?: (events: StreamEvent[]) => void) => Promise<SseReader>} read
 * @property {(id: string) => Promise<SseReader>} drain Reads and discards the events.
 * @property {(id: string) => Promise<SseReader>} neglect Requests the events and never reads them.
 * @property {(path: string, body: object) => Promise<Record<string, unknown>>} post
 * @property {string} cwd
 * @property {() => Promise<RawAgent>} raw Starts the fake agent on plain pipes.
 * @property {() => Promise<number[]>} pids Returns the pids of the agents that the server runs.
 * @property {() => Promise<number>} weigh Returns the memory of the server, in MB.
 */

/**
 * Runs a measurement with a server in a child process, which is stopped afterwards.
 * @template T
 * @param {(room: SseRoom) => Promise<T>} work
 */
export function inSseRoom(work) {
  return inTemporaryDirectory(async (root) => {
    const cwd = join(root, "work");
    await mkdir(cwd);
    const env = { PATH: process.env.PATH, HOME: root };
    const child = fork(program, [root, token], { env, execArgv: ["--expose-gc"] });
    const [url] = await once(child, "message");
    try {
      return await disposeAfter(await connectHalyard(url, { token }), (halyard) =>
        work({
          start: async () => {
            const permissions = "allow-all";
            const session = await halyard.start({ runtime: "fake", cwd, permissions });
            await session.ready();
            return session;
          },
          read: (id, onEvents) => SseReader.open(url, token, id, onEvents),
          drain: (id) => SseReader.open(url, token, id, undefined).then((reader) => reader.drain()),
          neglect: (id) => SseReader.open(url, token, id, undefined),
          post: (path, body) => post(new URL(path, url), token, body),
          cwd,
          raw: () => RawAgent.start(cwd),
          pids: async () => (await halyard.processes()).map(({ pid }) => pid),
          weigh: async () => {
            child.send("weigh");
            const [megabytes] = await once(child, "message");
            return megabytes;
          },
        }),
      );
    } finally {
      const exit = once(child, "exit");
      child.send("end");
      await exit;
    }
  });
}
