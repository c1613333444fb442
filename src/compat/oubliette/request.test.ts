import { describe, expect, test } from "vitest";
import { openFakeRuntime } from "../../../test/compat/fake-runtime.ts";
import { openFakeStage } from "../../../test/compat/fake-stage.ts";
import type { Capability } from "../../schema/runtime.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { type ExecuteRequest, newRuntime } from "./index.ts";

describe("a request", () => {
  test("uses plan mode if useSpec is set, and otherwise the policy for its autonomy", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const request = { prompt: "echo-args", useSpec: true, reasoning: "high" } as const;
    const { result, sessionID } = await runtime.execute({ ...request, systemPrompt: "Be brief." });
    expect(result).toMatch(/--plan --reasoning=high --system-prompt=Be brief\./);
    const built = await runtime.execute({ prompt: "echo-args", sessionID, useSpec: false });
    expect(built.result).not.toContain("--plan");
    for (const [autonomy, permissions] of [
      ["off", "allow-all"],
      ["high", "allow-all"],
      ["medium", "allow-edits"],
      ["low", "deny"],
    ] as const) {
      const { sessionID } = await runtime.execute({ prompt: "say a", autonomy });
      const [info] = await stage.halyard.sessions({ limit: 1 });
      expect(info).toMatchObject({ id: sessionID, permissions });
    }
  });

  test.each<[Partial<ExecuteRequest>, string, string]>([
    [{ containerID: "c1", container: { image: "i" } }, "invalid_input", "containerId"],
    [{ enabledTools: ["shell"] }, "unsupported", "tools"],
    [{ disabledTools: ["shell"] }, "unsupported", "tools"],
    [{ depth: 2 }, "invalid_input", "depth"],
    [{ sessionID: "nobody" }, "session_not_found", "nobody"],
    [{ prompt: "" }, "invalid_input", "prompt"],
  ])(
    "with %j is rejected with an error that names the field or the session",
    async (more, code, about) => {
      await using stage = await openFakeStage();
      await using runtime = await openFakeRuntime(stage);
      const executing = runtime.execute({ prompt: "say a", ...more });
      await expect(executing).rejects.toMatchObject({
        code,
        message: expect.stringContaining(about),
      });
      expect(await stage.halyard.sessions()).toEqual([]);
    },
  );

  test("treats the zero values of the seed's structs as fields that are not set", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const zero: object = {
      ...{ sessionID: "", runtimeSessionID: "", parentID: "", projectID: "", containerID: "" },
      ...{ model: "", systemPrompt: "", reasoning: "", autonomy: "", useSpec: false, depth: 0 },
      ...{ env: null, enabledTools: null, disabledTools: null },
    };
    const first = await runtime.execute({ prompt: "say a", ...zero });
    const { sessionID } = first;
    const next = await runtime.execute({ prompt: "recall", ...zero, sessionID });
    expect([first.result, next.result]).toEqual(["a", "say a"]);
  });

  test("is rejected with the name of the field that contains an unknown session id", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const executing = runtime.execute({ prompt: "say a", runtimeSessionID: "nobody" });
    await expect(executing).rejects.toThrow("runtimeSessionID: session nobody not found");
  });

  test("sets its session's tool lists if the runtime supports them", async () => {
    const capabilities: Capability[] = [...fakeAdapter().capabilities, "tool-lists"];
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "able", capabilities }]);
    await using runtime = newRuntime({ server: { agent_runtime: "able" } }, stage);
    const { cwd: workingDir } = stage;
    await runtime.execute({ prompt: "say a", workingDir, disabledTools: ["shell"] });
    const [info] = await stage.halyard.sessions();
    expect(info?.tools).toEqual({ disabled: ["shell"] });
  });

  test("creates a child session on its parent's runtime [s2.scope.children-inherit]", async () => {
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "other" }]);
    await using runtime = await openFakeRuntime(stage);
    const { sessionID } = await runtime.execute({ prompt: "say a" });
    const [parent] = await stage.halyard.sessions();
    await runtime.execute({ prompt: "say b", parentID: parent?.id, depth: 1 });
    const [child] = await stage.halyard.sessions({ limit: 1 });
    expect(child).toMatchObject({ parent: sessionID, depth: 1 });
    const other = newRuntime({ server: { agent_runtime: "other" } }, stage);
    const hybrid = other.execute({ prompt: "say c", parentID: parent?.id, workingDir: stage.cwd });
    await expect(hybrid).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("different runtimes at different depths"),
    });
    const grandchild = { prompt: "say d", parentID: child?.id, depth: 2 };
    expect(await runtime.execute(grandchild)).toMatchObject({ result: "d" });
  });

  test("can repeat the settings of the session that it continues, but not change them", async () => {
    const capabilities: Capability[] = [...fakeAdapter().capabilities, "tool-lists"];
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "able", capabilities }]);
    await using runtime = newRuntime({ server: { agent_runtime: "able" } }, stage);
    await runtime.initialize({ workingDir: stage.cwd });
    const { sessionID: parentID } = await runtime.execute({ prompt: "say a" });
    const lists = { enabledTools: ["read", "write"], disabledTools: ["shell"] };
    const child = { parentID, depth: 1, ...lists };
    const { sessionID } = await runtime.execute({ prompt: "say b", ...child });
    const again = await runtime.execute({ prompt: "recall", sessionID, ...child });
    expect(again).toMatchObject({ sessionID, result: "say b" });
    const changes: [Partial<ExecuteRequest>, string][] = [
      [{ depth: 2 }, "depth"],
      [{ parentID: sessionID }, "parentID"],
      [{ enabledTools: ["read"] }, "enabledTools"],
      [{ disabledTools: ["read"] }, "disabledTools"],
    ];
    for (const [other, field] of changes) {
      const changed = runtime.execute({ prompt: "recall", sessionID, ...child, ...other });
      await expect(changed).rejects.toMatchObject({
        code: "unsupported",
        message: expect.stringContaining(`${field}:`),
      });
    }
  });

  test("replaces the system prompt of the session that it continues, unless the session is running", async () => {
    await using stage = await openFakeStage();
    await using runtime = await openFakeRuntime(stage);
    const { sessionID } = await runtime.execute({ prompt: "say a", systemPrompt: "Be kind." });
    const request = { prompt: "echo-args", sessionID, systemPrompt: "Be brief." };
    const { result } = await runtime.execute(request);
    expect(result).toContain("--system-prompt=Be brief.");
    const again = await runtime.execute({ prompt: "echo-args", sessionID });
    expect(again.result, "the session keeps it").toContain("--system-prompt=Be brief.");
    await runtime.executeStreaming({ prompt: "wait", sessionID });
    await expect(runtime.execute(request)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("is running and keeps its instructions"),
    });
  });

  test("is rejected if it continues another runtime's session, or changes an option that only a new session accepts [s2.scope.bound-to-runtime]", async () => {
    await using stage = await openFakeStage([{ ...fakeAdapter(), name: "other" }]);
    await using runtime = await openFakeRuntime(stage);
    const { sessionID } = await runtime.execute({ prompt: "say a" });
    const other = newRuntime({ server: { agent_runtime: "other" } }, stage);
    await expect(other.execute({ prompt: "say b", sessionID })).rejects.toThrow(
      "cannot continue on",
    );
    const changed = runtime.execute({ prompt: "say b", sessionID, depth: 1 });
    await expect(changed).rejects.toMatchObject({ code: "unsupported" });
  });
});
