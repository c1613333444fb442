import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Adapter } from "../../src/contracts/adapter.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { parseAddress } from "../../src/hosts/container/engines/docker-api/address.ts";
import { EngineConnection } from "../../src/hosts/container/engines/docker-api/connection.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { setUpAgents } from "./describe-agents.ts";
import type { EngineUnderTest } from "./use-engine.ts";

/** Tests the isolation of an agent in a container. */
export function describeFence(engine: EngineUnderTest): void {
  const { name, address } = engine.runtime;

  describe(`${name} isolation`, { timeout: 120_000 }, () => {
    test("the engine's inspect responses for a container and its programs contain no key", async () => {
      const { home, env, model, start, containers } = await setUpAgents(engine);
      model.on("Hello.", { text: "Hello." });
      const endpoint = model.endpoint("openai-chat");
      await using halyard = await createHalyard({ home, env });
      await using session = await halyard.start({
        ...start,
        runtime: "pi",
        model: endpoint,
        env: { SOME_API_KEY: "planted-in-the-environment" },
      });
      expect(await session.send("Hello.").outcome).toMatchObject({ status: "completed" });
      const [container] = await containers();
      const raw = new EngineConnection(parseAddress(name === "podman" ? name : "docker", address));
      const inspect = (path: string) => raw.call({ method: "GET", path });
      const outside = await inspect(`/containers/${container?.id}/json`);
      const { ExecIDs: execs } = JSON.parse(outside) as { ExecIDs: string[] };
      const inside = await Promise.all(execs.map((id) => inspect(`/exec/${id}/json`)));
      expect(outside).toContain("/home/agent"); // proves that the output contains the configuration of the container
      expect(inside.join("\n")).toContain("halyard-launch"); // proves that the output contains the programs of the container
      const shown = [outside, ...inside].join("\n");
      expect(shown).not.toContain(endpoint.apiKey);
      expect(shown).not.toContain("planted");
    });

    test("an agent that exceeds its container's memory is killed, and the turn's error states why", async () => {
      const { home, env, cwd, start } = await setUpAgents(engine);
      const agent = join(cwd, "agent");
      await cp(fileURLToPath(new URL("../../src/testing/fake/agent", import.meta.url)), agent, {
        recursive: true,
      });
      const adapters = [insideOf(join(agent, "main.mjs"))];
      await using halyard = await createHalyard({ home, env, adapters });
      const container = { ...start.container, network: "bridge", memoryMb: 128 };
      const session = await halyard.start({ ...start, container, runtime: "fake" });
      expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
      expect(await session.send("hoard 512").outcome).toMatchObject({
        status: "failed",
        error: {
          code: "agent_exited",
          message:
            "fake was killed by SIGKILL because its container reached the memory limit of 128 MiB (container.memoryMb)",
        },
      });
      await session.stop();
    });
  });
}

/** Returns a fake adapter that starts the agent from the mount, because the container lacks the files of this machine. */
function insideOf(main: string): Adapter {
  const fake = fakeAdapter();
  return {
    ...fake,
    connect: (request) =>
      fake.connect({
        ...request,
        host: {
          ...request.host,
          spawn: ({ args: [, ...args], ...command }, options) =>
            request.host.spawn({ ...command, file: "node", args: [main, ...args] }, options),
        },
      }),
  };
}
