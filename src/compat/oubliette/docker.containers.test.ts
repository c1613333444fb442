import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents, serversIn, setUpAgents } from "../../../test/containers/describe-agents.ts";
import { createContainer } from "../../../test/containers/describe-existing.ts";
import { useEngine } from "../../../test/containers/use-engine.ts";
import { newRuntime } from "./index.ts";

const engine = useEngine("docker");

describe("halyard/agent in a container", { timeout: 180_000 }, () => {
  test.each(["droid", "opencode"] as const)(
    "initializes, pings and executes %s in a container, which is removed with the runtime",
    async (name) => {
      const { cwd, home, model, env, start, containers } = await setUpAgents(engine);
      const { api, shell } = agents[name];
      const toolCalls = [shell("echo $HOME > made.txt")];
      model.on("work", { toolCalls }, { text: "Done." });
      const runtime = newRuntime({ server: { agent_runtime: name } }, { create: { home, env } });
      await using _ = runtime;
      const { container } = start;
      await runtime.initialize({ workingDir: cwd, container, model: model.endpoint(api) });
      await runtime.ping();
      const [started, ...others] = await containers();
      expect(others).toEqual([]);
      if (name === "droid") expect(started, "Droid has a process per session").toBeUndefined();
      else {
        expect(await serversIn(engine, started?.id ?? "")).toBe(1);
        const listeners = await engine.runtime.exec(started?.id ?? "", {
          args: ["grep", "-c", " 0100007F:1000 .* 0A ", "/proc/net/tcp"], // 127.0.0.1:4096, listening
        });
        expect(listeners.stdout).toBe("1\n");
      }
      const executor = await runtime.executeStreaming({ prompt: "work" });
      expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("/home/agent\n");
      await runtime.ping();
      if (started !== undefined) {
        model.on("again", { text: "Again." });
        await engine.runtime.stop(started.id);
        const again = async () => (await runtime.execute({ prompt: "again" })).result;
        await expect.poll(() => again().catch(String), { timeout: 60_000 }).toBe("Again.");
        await runtime.ping();
      }
      await runtime.close();
      expect(await containers()).toEqual([]);
    },
  );

  test.each(["droid", "opencode"] as const)(
    "runs %s in an existing container by the container's id, and does not stop the container",
    async (name) => {
      const { cwd, home, model, env } = await setUpAgents(engine);
      const containerID = await createContainer(engine, cwd);
      const { api, shell } = agents[name];
      model.on("work", { toolCalls: [shell("pwd > made.txt")] }, { text: "Done." });
      const runtime = newRuntime({ server: { agent_runtime: name } }, { create: { home, env } });
      await using _ = runtime;
      await runtime.initialize({ workingDir: cwd, containerID, model: model.endpoint(api) });
      expect((await runtime.execute({ prompt: "work" })).result).toBe("Done.");
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("/workspace\n");
      await runtime.close();
      expect(await engine.runtime.status(containerID)).toBe("running");
    },
  );

  test("OpenCode uses its own configuration in the container [s2.d6.container-config]", async () => {
    const { cwd, home, env } = await setUpAgents(engine);
    const containerID = await createContainer(engine, cwd);
    const models = { mine: { name: "Mine" } };
    const own = { npm: "@ai-sdk/openai-compatible", options: { apiKey: "k" }, models };
    const config = JSON.stringify({ provider: { own } });
    const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
    // Without a lock file, OpenCode downloads a package for its plugins.
    const prepare = `mkdir -p $d/node_modules; echo '${JSON.stringify(lock)}' > $d/package-lock.json`;
    const directories = `for d in ~/.opencode ~/.config/opencode; do ${prepare}; done`;
    const write = `${directories}; echo '${config}' > ~/.opencode/opencode.json`;
    await engine.runtime.exec(containerID, { args: ["/bin/sh", "-c", write] });
    const runtime = newRuntime(
      { server: { agent_runtime: "opencode" } },
      { create: { home, env } },
    );
    await using _ = runtime;
    const context = { workingDir: cwd, containerID };
    const unknown = runtime.initialize({ ...context, model: "own/nobodys" });
    await expect(unknown).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining('OpenCode has no model "own/nobodys"'),
    });
    await runtime.initialize({ ...context, model: "own/mine" });
    await runtime.ping();
  });
});
