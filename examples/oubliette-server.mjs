/**
 * Runs a project server of Oubliette through its agent runtime interface: the server's configuration selects Droid, one
 * project selects OpenCode, two workspaces run at the same time, and a session continues by the runtime's own id.
 * Needs no key: fake agents replace Droid and OpenCode. Run it: node examples/oubliette-server.mjs
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  EventTypeCompletion,
  EventTypeMessage,
  EventTypeToolCall,
  loadAgentConfig,
  newRuntime,
} from "halyard/compat/oubliette";
import { fakeAdapter } from "halyard/testing";

const root = mkdtempSync(join(tmpdir(), "halyard-"));
const files = {
  "config/server.json": { agent_runtime: "auto" },
  "config/factory.json": { api_key: "fk-of-the-server" },
  "config/models.json": { models: {} },
  "projects/site/metadata.json": { id: "site", agent_runtime: "opencode" },
  "projects/tools/metadata.json": { id: "tools" },
};
for (const [path, value] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(value));
}
const directories = ["one", "two"].map((name) => join(root, "projects/site/workspaces", name));
for (const directory of directories) mkdirSync(directory, { recursive: true });

process.chdir(root); // a project server starts in this directory
const standIns = ["droid", "opencode"].map((name) => ({ ...fakeAdapter(), name }));
const env = { PATH: process.env.PATH, HOME: root, HALYARD_HOME: join(root, ".halyard") };
const ctx = { signal: AbortSignal.timeout(60_000) };
/** @param {string} projectID */
const open = async (projectID) => {
  const runtime = newRuntime(await loadAgentConfig({ env, projectID }), {
    create: { env, adapters: standIns },
  });
  await runtime.initialize({ projectID }, ctx);
  await runtime.ping(ctx);
  return runtime;
};
const [site, tools] = [await open("site"), await open("tools")];
console.log(`site: ${site.name}, tools: ${tools.name}`);

const executors = await Promise.all(
  directories.map((workingDir, at) =>
    site.executeStreaming({ prompt: `tool write page.txt ${at}; say Done.`, workingDir }, ctx),
  ),
);
for (const [at, executor] of executors.entries()) {
  const seen = [];
  for await (const event of executor.events) {
    if (event.type === EventTypeMessage) seen.push(`${event.role} message`);
    if (event.type === EventTypeToolCall) seen.push(event.toolName);
    if (event.type === EventTypeCompletion) break;
  }
  await executor.done;
  assert.deepEqual(await executor.wait(), { exitCode: 0, error: undefined });
  assert.equal(readFileSync(join(directories[at] ?? "", "page.txt"), "utf8"), String(at));
  console.log(`workspace ${at + 1}: ${seen.join(", ")}`);
  await executor.close();
  assert.equal(executor.isClosed, true);
}

const [first] = executors;
assert(first);
const { sessionID: parentID, runtimeSessionID: sessionID } = first;
const { result, turns } = await site.execute({ prompt: "recall", sessionID }, ctx);
console.log(`turn ${turns}: I was asked to ${result.split(";")[0]}`);

const child = { prompt: "say no", parentID, projectID: "site" };
await assert.rejects(tools.execute(child, ctx), /different runtimes at different depths/);
await Promise.all([site.close(), tools.close()]);
