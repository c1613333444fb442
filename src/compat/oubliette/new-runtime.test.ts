import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import {
  type AgentConfig,
  type ExecuteRequest,
  loadAgentConfig,
  newRuntime,
  type Runtime,
  type StreamingExecutor,
} from "./index.ts";

describe("newRuntime", () => {
  const runtimeIn = async (files: Record<string, unknown>) => {
    const cwd = await temporaryDirectory();
    await mkdir(join(cwd, "config"));
    for (const [name, content] of Object.entries(files))
      await writeFile(join(cwd, "config", name), JSON.stringify(content));
    return newRuntime(await loadAgentConfig({ cwd, env: { HOME: cwd } })).name;
  };

  test("returns droid for auto if there is a key [s0.factory.auto-picks-droid] [s0.factory.auto-with-key] [s0.factory.auto-detect]", async () => {
    const server = { agent_runtime: "auto" };
    const factory = { api_key: "fk-1" };
    expect(await runtimeIn({ "server.json": server, "factory.json": factory })).toBe("droid");
    expect(await runtimeIn({ "factory.json": factory })).toBe("droid");
  });

  test("returns opencode for auto if there is no key [s0.factory.auto-picks-opencode] [s0.factory.auto-without-key] [s0.factory.auto-is-default]", async () => {
    const server = { agent_runtime: "auto" };
    expect(await runtimeIn({ "server.json": server })).toBe("opencode");
    expect(await runtimeIn({ "server.json": server, "factory.json": { api_key: " " } })).toBe(
      "opencode",
    );
  });

  test("rejects a session of a project with another runtime", async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, "projects", "garden"), { recursive: true });
    const metadata = { id: "garden", agent_runtime: "opencode" };
    await writeFile(join(root, "projects/garden/metadata.json"), JSON.stringify(metadata));
    const home = { HOME: root, HALYARD_HOME: join(root, "home") };
    const env = { ...home, HALYARD_CONFIG: join(root, "config") };
    const adapters = ["droid", "opencode"].map((name) => ({ ...fakeAdapter(), name }));
    const create = { env, adapters };
    const request = { prompt: "say hi", projectID: "garden", workingDir: root };
    await using droid = newRuntime({ server: { agent_runtime: "droid" } }, { create });
    await expect(droid.execute(request)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("garden runs on opencode, and this runtime is droid"),
    });
    const config = await loadAgentConfig({ cwd: root, env, projectID: "garden" });
    await using opencode = newRuntime(config, { create });
    expect(await opencode.execute(request)).toMatchObject({ result: "hi" });
  });

  test.each([
    [
      "the content of server.json alone",
      { agent_runtime: "droid" },
      'Unrecognized key: "agent_runtime"',
    ],
    ["a name", "droid", "expected object, received string"],
    ["a runtime that is no name", { server: { agent_runtime: 5 } }, "agent_runtime"],
  ])("refuses %s as its configuration", (_, config, reason) => {
    const given: AgentConfig = JSON.parse(JSON.stringify(config));
    expect(() => newRuntime(given)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(reason) }),
    );
  });

  test("returns opencode if it is configured, with or without a key [s0.factory.explicit-opencode] [s0.factory.opencode]", async () => {
    const factory = { api_key: "fk-1" };
    const files = { "server.json": { agent_runtime: "opencode" }, "factory.json": factory };
    expect(await runtimeIn(files)).toBe("opencode");
  });

  test("creates every runtime, and prefers the one of the project [s0.runtime.interface] [s0.runtime.name]", async () => {
    await using stage = await openFakeStage();
    const { halyard } = stage;
    for (const { name } of await halyard.runtimes()) {
      const config = { server: { agent_runtime: "auto" }, project: { agent_runtime: name } };
      const runtime: Runtime = newRuntime(config, { halyard });
      expect(runtime.name).toBe(name);
    }
    expectTypeOf<Runtime>().toMatchTypeOf<{
      initialize: () => Promise<void>;
      executeStreaming: (request: ExecuteRequest) => Promise<StreamingExecutor>;
      ping: () => Promise<void>;
      close: () => Promise<void>;
      isAvailable: () => Promise<boolean>;
      name: string;
    }>();
  });

  test("prefers the runtime of the project's metadata.json to the server's [s0.override.per-project] [s0.override.explicit] [s0.override.server-default]", async () => {
    const cwd = await temporaryDirectory();
    const write = async (name: string, content: unknown) => {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), JSON.stringify(content));
    };
    await write("config/factory.json", { api_key: "fk-1" });
    await write("projects/one/metadata.json", { id: "one", agent_runtime: "opencode" });
    await write("projects/two/metadata.json", { id: "two" });
    const nameFor = async (projectID: string) =>
      newRuntime(await loadAgentConfig({ cwd, env: { HOME: cwd }, projectID })).name;
    await write("config/server.json", { agent_runtime: "auto" });
    expect(await nameFor("one")).toBe("opencode");
    await write("config/server.json", { agent_runtime: "droid" });
    expect(await nameFor("two")).toBe("droid");
  });

  test("reads config/server.json and config/factory.json if no configuration is passed [s2.structure.factory]", async () => {
    const directory = join(await temporaryDirectory(), "config");
    const create = { env: { HALYARD_CONFIG: directory } };
    await mkdir(directory);
    expect(newRuntime(undefined, { create }).name).toBe("opencode");
    await writeFile(join(directory, "factory.json"), '{ "api_key": "fk-1" } // ours');
    expect(newRuntime(undefined, { create }).name).toBe("droid");
    await writeFile(join(directory, "server.json"), '{ "agent_runtime": "opencode" }');
    expect(newRuntime(undefined, { create }).name).toBe("opencode");
    expect(newRuntime({}, { create }).name, "what the caller passes counts alone").toBe("opencode");
  });

  test("creates a Halyard when it is first needed", async () => {
    const home = await temporaryDirectory();
    const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
    await using runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    const response = await runtime.execute({ prompt: "say Hello.", workingDir: home });
    expect(response.result).toBe("Hello.");
  });

  test("creates no further Halyard after it is closed", async () => {
    const home = await temporaryDirectory();
    const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
    const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    await runtime.close();
    await expect(runtime.isAvailable()).rejects.toMatchObject({ code: "invalid_input" });
    expect(await readdir(home)).toEqual([]);
  });

  test("retries to create a Halyard after a failure", async () => {
    const home = join(await temporaryDirectory(), "halyard");
    await writeFile(home, "in the way");
    const create = { home, env: {}, adapters: [fakeAdapter()] };
    await using runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    await expect(runtime.initialize()).rejects.toThrow();
    await rm(home);
    await runtime.initialize();
  });
});
