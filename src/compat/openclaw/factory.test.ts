import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import { paramsOf } from "../../../test/compat/runs.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import {
  createAgentRuntime,
  createCcSdkAgentRuntime,
  type RunConfig,
  resolveAgentRuntimeKind,
} from "./index.ts";

const missing: Adapter = {
  ...fakeAdapter(),
  name: "ccsdk",
  probe: async () => ({ available: false, reason: "it is not there", hint: "install it" }),
};

describe("the factory", () => {
  test("returns Pi for an empty configuration [s4.test.default-pi]", async () => {
    expect(await createAgentRuntime({}, "main")).toMatchObject({ kind: "pi" });
    expect(await createAgentRuntime(undefined, "main")).toMatchObject({ kind: "pi" });
    expect(resolveAgentRuntimeKind(undefined, "main")).toBe("pi");
  });

  test("returns the runtime in the agent's entry", async () => {
    await using stage = await openFakeStage();
    const list = [{ id: "main", runtime: "fake" }];
    const config = { agents: { defaults: { runtime: "pi" }, list } };
    const runtime = await createAgentRuntime(config, "main", undefined, stage);
    expect(runtime).toMatchObject({ kind: "fake", displayName: "Fake agent" });
  });

  test("returns the default runtime if the agent's entry is missing or names no runtime [s4.test.global-defaults]", async () => {
    await using stage = await openFakeStage();
    const list = [{ id: "main", runtime: "pi" }, { id: "helper" }];
    const config = { agents: { defaults: { runtime: "fake" }, list } };
    for (const agent of ["helper", "nobody"])
      expect(await createAgentRuntime(config, agent, undefined, stage)).toMatchObject({
        kind: "fake",
      });
  });

  test("prefers the forced kind to the configuration [s4.factory.force-kind]", async () => {
    await using stage = await openFakeStage();
    for (const [configured, forced] of [
      ["pi", "fake"],
      ["fake", "pi"],
    ] as const) {
      const config = { agents: { list: [{ id: "main", runtime: configured }] } };
      const runtime = await createAgentRuntime(config, "main", forced, stage);
      expect(runtime).toMatchObject({ kind: forced });
    }
  });

  test.each([
    ["the defaults", { agents: { defaults: { runtime: "ccsdk" } } }, undefined],
    ["the agent's entry", { agents: { list: [{ id: "main", runtime: "ccsdk" }] } }, undefined],
    ["forceKind", {}, "ccsdk"],
  ])(
    "falls back to Pi if the Claude Agent SDK, chosen by %s, is missing, and the result reports this [s4.test.ccsdk-unavailable]",
    async (_, config, forceKind) => {
      await using stage = await openFakeStage([missing, { ...fakeAdapter(), name: "pi" }]);
      const runtime = await createAgentRuntime(config, "main", forceKind, stage);
      expect(runtime.kind).toBe("pi");
      const { meta } = await runtime.run(paramsOf(stage, "say a"));
      expect(meta).toMatchObject({
        runtime: "pi",
        attempts: [
          { runtime: "ccsdk", error: "ccsdk cannot run here: it is not there. Install it." },
          { runtime: "pi" },
        ],
      });
    },
  );

  test("rejects an unavailable runtime that is neither the SDK nor a default", async () => {
    await using stage = await openFakeStage([{ ...missing, name: "absent" }]);
    const config = { agents: { list: [{ id: "main", runtime: "absent" }] } };
    const expected = { code: "runtime_unavailable" };
    await expect(createAgentRuntime(config, "main", undefined, stage)).rejects.toMatchObject(
      expected,
    );
    await expect(createAgentRuntime({}, "main", "absent", stage)).rejects.toMatchObject(expected);
  });
});

describe("createCcSdkAgentRuntime", () => {
  test("returns a runtime of kind ccsdk", async () => {
    expect(createCcSdkAgentRuntime()).toMatchObject({
      kind: "ccsdk",
      displayName: "CCSDK Agent",
    });
  });

  test.each([
    ["its module throws", '{"main":"sdk.mjs","version":"1.2.3"}', /cannot be loaded: bad build/],
    ["its manifest is cut off", '{"main":', /the Claude Agent SDK is not installed/],
  ])(
    "loads the SDK in the first run, and runs on Pi if %s [s4.factory.lazy] [s4.factory.fallback]",
    async (_, manifest, reason) => {
      await using stage = await openFakeStage();
      const home = join(stage.cwd, "..", "own");
      const sdk = join(home, "runtimes/ccsdk/node_modules/@anthropic-ai/claude-agent-sdk");
      await mkdir(sdk, { recursive: true });
      await writeFile(join(sdk, "package.json"), manifest);
      await writeFile(
        join(sdk, "sdk.mjs"),
        'globalThis.loads = (globalThis.loads ?? 0) + 1; throw new Error("bad build");',
      );
      const create = { home, env: {}, adapters: [{ ...fakeAdapter(), name: "pi" }] };
      const config = { agents: { list: [{ id: "main", runtime: "ccsdk" }] } };
      const runtimes = [
        createCcSdkAgentRuntime({}, { create }),
        await createAgentRuntime(config, "main", undefined, { create }),
      ];
      expect(globalThis).not.toHaveProperty("loads");
      onTestFinished(() => void Reflect.deleteProperty(globalThis, "loads"));
      for (const runtime of runtimes) {
        const { reply, meta } = await runtime.run(paramsOf(stage, "say a"));
        expect(reply).toBe("a");
        expect(meta).toMatchObject({
          runtime: "pi",
          attempts: [{ runtime: "ccsdk", error: expect.stringMatching(reason) }, { runtime: "pi" }],
        });
      }
    },
  );
});

test("resolves the agent's entry, then the defaults, then Pi", () => {
  const defaults = { runtime: "ccsdk" };
  const list = [{ id: "a", runtime: "codex" }, { id: "b" }];
  expect(resolveAgentRuntimeKind({ agents: { defaults, list } }, "a")).toBe("codex");
  for (const agent of ["b", "nobody"])
    expect(resolveAgentRuntimeKind({ agents: { defaults, list } }, agent)).toBe("ccsdk");
  expect(resolveAgentRuntimeKind({ agents: { list } }, "b")).toBe("pi");
  expect(resolveAgentRuntimeKind({ agents: {} }, "a")).toBe("pi");
});

test("resolves empty names and lists as the seed's own code does", () => {
  const defaults = { runtime: "ccsdk" };
  const parse = (text: string): RunConfig => JSON.parse(text);
  expect(
    resolveAgentRuntimeKind({ agents: { defaults, list: [{ id: "a", runtime: "" }] } }, "a"),
  ).toBe("ccsdk");
  const nothing = parse('{ "agents": { "defaults": { "runtime": "ccsdk" }, "list": null } }');
  expect(resolveAgentRuntimeKind(nothing, "a")).toBe("ccsdk");
  expect(resolveAgentRuntimeKind(parse('{ "agents": null }'), "a")).toBe("pi");
});
