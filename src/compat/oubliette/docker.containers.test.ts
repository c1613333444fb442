import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents, setUpAgents } from "../../../test/containers/describe-agents.ts";
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
      expect(await containers(), "OpenCode's server starts with the container").toHaveLength(
        name === "opencode" ? 1 : 0,
      );
      const executor = await runtime.executeStreaming({ prompt: "work" });
      expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("/home/agent\n");
      await runtime.ping();
      await runtime.close();
      expect(await containers()).toEqual([]);
    },
  );

  test.each(["droid", "opencode"] as const)(
    "runs %s in an existing container by its id, and does not stop the container",
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
});
