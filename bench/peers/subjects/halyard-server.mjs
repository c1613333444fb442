import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { post } from "../../parts/post.mjs";
import { SseReader } from "../../parts/sse-reader.mjs";

const program = fileURLToPath(new URL("../../parts/served-halyard.mjs", import.meta.url));
const token = "bench";

/**
 * Starts a Halyard server in a child process, whose events are read as server-sent events.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }, readers = 1) {
  const env = { PATH: process.env.PATH, HOME: root };
  const child = fork(program, [root, token], { env, stdio: "inherit" });
  const [url] = await once(child, "message");
  const options = { command: agent, protocolVersion: 1 };
  const request = { runtime: "acp", cwd: root, permissions: "allow-all", options };
  const { id } = await post(`${url}/v1/sessions`, token, request);
  /** @type {(text: string, reader?: number) => void} */
  let receive = () => {};
  let ended = 0;
  let end = () => {};
  const read = (/** @type {unknown} */ _, /** @type {number} */ reader) =>
    SseReader.open(url, token, String(id), (events) => {
      for (const event of events) {
        if (event.type === "delta") receive(event.text, reader);
        else if (event.type === "completion" && ++ended === readers) end();
      }
    });
  const all = await Promise.all(Array.from({ length: readers }, read));
  return {
    async run(prompt, onText) {
      receive = onText;
      ended = 0;
      const over = new Promise((resolve) => {
        end = () => resolve(undefined);
      });
      await post(`${url}/v1/sessions/${id}/turns`, token, { input: prompt });
      await over;
    },
    pid: () => child.pid,
    async close() {
      for (const reader of all) await reader[Symbol.asyncDispose]();
      const exit = once(child, "exit");
      child.send("end");
      await exit;
    },
  };
}
