/** Runs a Halyard server in a child process, which sends its address and its memory use to the parent process. */
import { join } from "node:path";
import { createHalyard } from "../../dist/create-halyard.js";
import { createServer } from "../../dist/server/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [, , root = "", token = ""] = process.argv;
const halyard = await createHalyard({
  home: join(root, "home"),
  env: {},
  adapters: [fakeAdapter()],
});
const listener = await createServer(halyard, { token }).listen({ port: 0 });
process.on("message", (message) => {
  if (message === "weigh") weigh();
  else void end();
});
process.send?.(listener.url);

function weigh() {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().rss / 1024 / 1024);
}

async function end() {
  await halyard[Symbol.asyncDispose]();
  await listener.close();
  process.disconnect();
}
