import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { enter } from "../../../test/compat/oubliette.ts";
import { newRepository } from "../../../test/workspace/repository.ts";
import { createHalyard } from "../../create-halyard.ts";
import { SessionId } from "../../schema/id.ts";
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

  test("uses the models in its working directory, but not in a parent directory, if it is called without a configuration [s2.config.models-json]", async () => {
    const cwd = await realpath(await temporaryDirectory());
    const baseUrl = "http://127.0.0.1:9/v1";
    const models = {
      fast: { model: "m", baseUrl, apiKey: "sk-1" },
      snake: { model: "m", base_url: baseUrl, api_key: "sk-2", display_name: "Snake" },
    };
    await mkdir(join(cwd, "config"));
    await mkdir(join(cwd, "below"));
    await writeFile(join(cwd, "config/models.json"), JSON.stringify({ models }));
    const env = { HOME: cwd, HALYARD_HOME: join(cwd, "home") };
    const fake = fakeAdapter();
    const capabilities = [...fake.capabilities, "endpoints" as const];
    const create = { env, adapters: [{ ...fake, name: "opencode", capabilities }] };
    const request = { prompt: "say hi", model: "fast", workingDir: cwd };
    enter(cwd);
    await using runtime = newRuntime(undefined, { create });
    expect(await runtime.execute(request)).toMatchObject({ result: "hi" });
    await using halyard = await createHalyard(create);
    const { sessionID } = await runtime.execute({ ...request, model: "snake" });
    const session = await halyard.find(SessionId.parse(sessionID));
    expect(session?.model).toMatchObject({ id: "m", baseUrl });
    process.chdir(join(cwd, "below"));
    await using other = newRuntime(undefined, { create });
    await expect(
      other.execute(request),
      "the models are in a parent directory",
    ).rejects.toMatchObject({
      code: "untrusted_directory",
    });
  });

  test("treats the zero values of Go structs as fields that are not set", async () => {
    const zero = {
      "server.json": { agent_runtime: "", address: "", droid: null },
      "factory.json": { api_key: "fk-1" },
      "models.json": { models: null, defaults: { session_model: "" } },
    };
    expect(await runtimeIn(zero)).toBe("droid");
    const { server, project } = { server: { agent_runtime: "" }, project: { agent_runtime: "" } };
    expect(newRuntime({ server, project, factory: { api_key: "" } }).name).toBe("opencode");
  });

  test("rejects a session whose project uses another runtime", async () => {
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

  test("runs each session of a project with worktrees in a git worktree of the working directory", async () => {
    const { root: workingDir, git } = await newRepository();
    const root = await temporaryDirectory();
    await mkdir(join(root, "projects", "garden"), { recursive: true });
    const metadata = { id: "garden", agent_runtime: "opencode", worktree: true };
    await writeFile(join(root, "projects/garden/metadata.json"), JSON.stringify(metadata));
    const home = { HOME: root, HALYARD_HOME: join(root, "home"), PATH: process.env.PATH };
    const env = { ...home, HALYARD_CONFIG: join(root, "config") };
    const create = { env, adapters: [{ ...fakeAdapter(), name: "opencode" }] };
    const config = await loadAgentConfig({ cwd: root, env, projectID: "garden" });
    await using runtime = newRuntime(config, { create });
    const write = { prompt: "sh pwd > where", projectID: "garden", workingDir };
    const [one, two] = [await runtime.execute(write), await runtime.execute(write)];
    expect(one.sessionID).not.toBe(two.sessionID);
    expect(await git("status", "-s")).toBe("");
    const listed =
      (await git("worktree", "list", "--porcelain")).match(/(?<=^worktree ).*/gm) ?? [];
    const [main, ...trees] = listed;
    expect(main).toBe(workingDir);
    const places = trees.map(async (tree) => (await readFile(join(tree, "where"), "utf8")).trim());
    expect(trees).toHaveLength(2);
    expect(await Promise.all(places)).toEqual(trees);
    const again = { prompt: "sh cat where", sessionID: one.sessionID };
    await runtime.execute(again);
    expect((await git("worktree", "list")).split("\n")).toHaveLength(3);
  });

  test.each([
    [
      "the content of server.json alone",
      { agent_runtime: "droid" },
      'Unrecognized key: "agent_runtime"',
    ],
    ["a string", "droid", "expected object, received string"],
    ["a runtime that is not a string", { server: { agent_runtime: 5 } }, "agent_runtime"],
  ])("rejects %s as its configuration", (_, config, reason) => {
    const given: AgentConfig = JSON.parse(JSON.stringify(config));
    expect(() => newRuntime(given)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(reason) }),
    );
  });

  test("returns opencode if it is configured, even if there is a key [s0.factory.explicit-opencode] [s0.factory.opencode] [s3.profile.opencode-only]", async () => {
    const factory = { api_key: "fk-1" };
    const files = { "server.json": { agent_runtime: "opencode" }, "factory.json": factory };
    expect(await runtimeIn(files)).toBe("opencode");
  });

  test("creates any runtime that the project names [s0.runtime.interface] [s0.runtime.name]", async () => {
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

  test("prefers the runtime in the project's metadata.json to the server's", async () => {
    const cwd = await temporaryDirectory();
    const write = async (name: string, content: unknown) => {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), JSON.stringify(content));
    };
    await write("config/factory.json", { api_key: "fk-1" });
    await write("projects/one/metadata.json", { id: "one", agent_runtime: "opencode" });
    await write("projects/two/metadata.json", { id: "two" });
    const env = { HOME: cwd, HALYARD_HOME: join(cwd, "home"), HALYARD_CONFIG: join(cwd, "config") };
    const adapters = ["droid", "opencode"].map((name) => ({ ...fakeAdapter(), name }));
    await using halyard = await createHalyard({ env, adapters });
    const spawnFor = async (projectID: string) => {
      const config = await loadAgentConfig({ cwd, env, projectID });
      await using runtime = newRuntime(config, { create: { env, adapters } });
      const { sessionID } = await runtime.execute({ prompt: "say hi", projectID, workingDir: cwd });
      const session = await halyard.find(SessionId.parse(sessionID));
      return [runtime.name, session?.runtime];
    };
    await write("config/server.json", { agent_runtime: "auto" });
    expect(await spawnFor("one")).toEqual(["opencode", "opencode"]);
    expect(await spawnFor("two"), "auto selects droid").toEqual(["droid", "droid"]);
    await write("config/server.json", { agent_runtime: "droid" });
    expect(await spawnFor("two")).toEqual(["droid", "droid"]);
  });

  test("reads config/server.json and config/factory.json if no configuration is passed", async () => {
    const directory = join(await temporaryDirectory(), "config");
    const create = { env: { HALYARD_CONFIG: directory } };
    await mkdir(directory);
    expect(newRuntime(undefined, { create }).name).toBe("opencode");
    await writeFile(join(directory, "factory.json"), '{ "api_key": "fk-1" } // ours');
    expect(newRuntime(undefined, { create }).name).toBe("droid");
    await writeFile(join(directory, "server.json"), '{ "agent_runtime": "opencode" }');
    expect(newRuntime(undefined, { create }).name).toBe("opencode");
    expect(newRuntime({}, { create }).name, "only the caller's configuration counts").toBe(
      "opencode",
    );
  });

  test("creates a Halyard instance when it is first needed", async () => {
    const home = await temporaryDirectory();
    const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
    await using runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    const response = await runtime.execute({ prompt: "say Hello.", workingDir: home });
    expect(response.result).toBe("Hello.");
  });

  test("creates no Halyard instance after it is closed", async () => {
    const home = await temporaryDirectory();
    const create = { home: join(home, "halyard"), env: {}, adapters: [fakeAdapter()] };
    const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    await runtime.close();
    await expect(runtime.isAvailable()).rejects.toMatchObject({ code: "invalid_input" });
    expect(await readdir(home)).toEqual([]);
  });

  test("creates a Halyard instance again after a failed attempt", async () => {
    const home = join(await temporaryDirectory(), "halyard");
    await writeFile(home, "in the way");
    const create = { home, env: {}, adapters: [fakeAdapter()] };
    await using runtime = newRuntime({ server: { agent_runtime: "fake" } }, { create });
    await expect(runtime.initialize()).rejects.toThrow();
    await rm(home);
    await runtime.initialize();
  });
});
