import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { piToolCalls } from "../../src/adapters/pi/events/tool-calls.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { setUpAgents } from "./describe-agents.ts";
import { TEST_IMAGE } from "./test-image.ts";
import type { EngineUnderTest } from "./use-engine.ts";

/** Tests agents in a container that Halyard did not create and does not change. */
export function describeExisting(engine: EngineUnderTest): void {
  describe(`existing ${engine.runtime.name} containers`, { timeout: 120_000 }, () => {
    test("starts, attaches and resumes an agent in an existing container, and leaves the container running", async () => {
      const { cwd, home, env, model } = await setUpAgents(engine);
      const id = await createContainer(engine, cwd);
      const toolCalls = [piToolCalls.shell("pwd > where; id -u >> where; env > seen")];
      model.on("work", { toolCalls }, { text: "Done." });
      model.on("Hello.", { text: "Hello." });
      const endpoint = model.endpoint("openai-chat");
      const container = { containerId: id };
      const request = {
        runtime: "pi",
        cwd,
        host: "container",
        container,
        model: endpoint,
      } as const;

      const first = await createHalyard({ home, env, onDispose: "detach" });
      const started = await first.start(request);
      expect(await started.send("work").outcome).toMatchObject({ status: "completed" });
      expect(await readFile(join(cwd, "where"), "utf8")).toBe("/workspace\n1000\n");
      expect(await readFile(join(cwd, "seen"), "utf8")).not.toContain(endpoint.apiKey);
      await first[Symbol.asyncDispose]();

      await using halyard = await createHalyard({ home, env });
      expect(await halyard.find(started.id)).toMatchObject({ state: "detached" });
      const attached = await halyard.resume(started.id, { model: endpoint });
      expect(attached.opened).toBe("attached");
      expect(await attached.send("Hello.").outcome).toMatchObject({ text: "Hello." });
      expect(await halyard.processes()).toMatchObject([
        { sessionId: started.id, host: "container" },
      ]);
      await attached.stop();
      const resumed = await halyard.resume(started.id, { model: endpoint });
      expect(resumed.opened).toBe("resumed");
      expect(await resumed.send("Hello.").outcome).toMatchObject({ text: "Hello." });
      await resumed.stop();

      expect(await halyard.processes()).toEqual([]);
      expect(await engine.runtime.status(id)).toBe("running");
      const [place = ""] = await readdir(join(home, "containers"));
      const left = await readdir(join(home, "containers", place));
      expect(left.filter((name) => name.endsWith(".route"))).toEqual([]);
    });

    test("rejects a container that does not exist, and an image together with a container", async () => {
      const { cwd, home, env, model } = await setUpAgents(engine);
      await using halyard = await createHalyard({ home, env });
      const request = {
        runtime: "pi",
        cwd,
        host: "container",
        model: model.endpoint("openai-chat"),
      } as const;
      const start = (container: object) => halyard.start({ ...request, container });
      await expect(start({ containerId: "no-such" })).rejects.toMatchObject({
        code: "start_failed",
        message: expect.stringMatching(/no-such does not exist on (docker|podman)/),
      });
      await expect(start({ containerId: "x", image: "y" })).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("remove image"),
      });
    });
  });
}

/** Starts a container as another program would, with the directory mounted at `/workspace`. */
export async function createContainer({ runtime }: EngineUnderTest, cwd: string): Promise<string> {
  const id = await runtime.create({
    name: `somebody-elses-${Date.now()}`,
    image: TEST_IMAGE,
    command: ["sleep", "infinity"],
    labels: {},
    env: {},
    user: "1000:1000",
    workdir: "/workspace",
    mounts: [{ source: cwd, target: "/workspace", readOnly: false }],
    tmpfs: {},
    network: "none",
    readOnlyRoot: false,
    memoryBytes: 1024 * 1024 * 1024,
    cpus: 1,
    pids: 256,
  });
  onTestFinished(() => runtime.remove(id));
  await runtime.start(id);
  return id;
}
