/** Opens 1, 100 and 1,000 Pi sessions in this process, and sends their memory use to the parent process. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** @typedef {{ sessions: number, heap: number, rss: number }} Weight */

const [, , how = "", root = "", endpoint = ""] = process.argv;
const model = JSON.parse(endpoint);
const cwd = join(root, "work");
await mkdir(cwd);

/** @type {unknown[]} */
const sessions = [];
const open = how === "halyard" ? await throughHalyard() : await throughSdk();
for (const count of [1, 100, 1000]) {
  while (sessions.length < count) sessions.push(await open());
  process.send?.(await weigh());
}
process.exit();

async function throughHalyard() {
  const { createHalyard } = await import("../../dist/create-halyard.js");
  const halyard = await createHalyard({ home: join(root, "home"), env: {} });
  return async () => {
    const session = await halyard.start({ runtime: "pi", cwd, model, permissions: "allow-all" });
    await session.ready();
    return session;
  };
}

/** Returns a function that opens a session as the documentation of Pi describes. */
async function throughSdk() {
  const pi = await import("@earendil-works/pi-coding-agent");
  return async () => {
    const agentDir = join(root, "pi");
    const authStorage = pi.AuthStorage.inMemory();
    const modelRegistry = pi.ModelRegistry.inMemory(authStorage);
    const { id, baseUrl, apiKey } = model;
    const config = { id, name: id, reasoning: false, contextWindow: 100_000, maxTokens: 10_000 };
    modelRegistry.registerProvider("scripted", {
      baseUrl,
      apiKey,
      api: "openai-completions",
      models: [
        { ...config, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      ],
    });
    const found = modelRegistry.find("scripted", id);
    if (found === undefined) throw new Error("Pi does not know the model.");
    const sessionManager = pi.SessionManager.create(cwd, join(root, "sessions"));
    const options = { cwd, agentDir, authStorage, modelRegistry, model: found, sessionManager };
    return (await pi.createAgentSession(options)).session;
  };
}

/** @returns {Promise<Weight>} */
async function weigh() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await setTimeout(50);
  }
  const { heapUsed: heap, rss } = process.memoryUsage();
  return { sessions: sessions.length, heap, rss };
}
