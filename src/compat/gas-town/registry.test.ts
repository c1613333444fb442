import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openUser } from "../../../test/compat/gas-town-user.ts";
import { seedRegistry } from "../../../test/compat/seed-registry.ts";
import { writeParrot } from "../../../test/screens/parrot.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import { createHalyard } from "../../create-halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { SessionId } from "../../schema/id.ts";
import { until } from "../../testing/compat-suite/compat-stage.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createAgentRuntime } from "./index.ts";

test("chooses the runtime in the rig's file, or in the registry, if the request names none [s1.config.registry-default] [s1.config.rig-file] [s1.config.rig-override]", async () => {
  const { rig, runtime } = await openUser(seedRegistry);
  const start = () => runtime.start({ workDir: rig, mode: "minimal" });
  expect(await start()).toMatchObject({ runtime: "claude" });
  await mkdir(join(rig, ".gastown"));
  await writeFile(join(rig, ".gastown", "runtime.json"), '{ "runtime": "codex" }');
  expect(await start()).toMatchObject({ runtime: "codex" });
  const named = runtime.start({ workDir: rig, mode: "minimal", runtimeName: "claude" });
  expect(await named).toMatchObject({ runtime: "claude" });
});

test("warns once if the rig's file names a runtime that an untrusted file may not choose", async () => {
  const { rig, runtime, env, adapters } = await openUser("{}");
  await mkdir(join(rig, ".gastown"));
  await writeFile(join(rig, ".gastown", "runtime.json"), '{ "runtime": "evil" }');
  const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => emitWarning.mockRestore());
  const { sessionID, runtime: name } = await runtime.start({ workDir: rig, mode: "minimal" });
  await runtime.start({ workDir: rig, mode: "minimal" });
  const ignored = expect.stringContaining("runtime.json names the runtime evil, which is ignored");
  expect(name).toBe("claude");
  expect(emitWarning.mock.calls).toEqual([[ignored]]);
  await using halyard = await createHalyard({ env, adapters, onDispose: "detach" });
  const events = halyard.events(SessionId.parse(sessionID));
  const isWarning = (event: StreamEvent) => "subtype" in event && event.subtype === "warning";
  expect(await until(events, isWarning)).toMatchObject({ text: ignored });
});

test("does not start another runtime if the registry's runtime cannot run", async () => {
  const { home, rig, env } = await openUser(seedRegistry);
  const fake = fakeAdapter();
  const reason = "claude is not installed";
  const missing: Adapter = {
    ...fake,
    name: "claude",
    probe: async () => ({ available: false, reason, hint: "install it" }),
  };
  const adapters = [missing, { ...fake, name: "pi" }];
  const create = { env: { ...env, HALYARD_HOME: join(home, "other") }, adapters };
  await using runtime = createAgentRuntime({ create });
  const starting = runtime.start({ workDir: rig, mode: "minimal" });
  await expect(starting).rejects.toMatchObject({
    code: "runtime_unavailable",
    message: expect.stringContaining(reason),
  });
  expect(await runtime.listSessions({ running: true })).toEqual([]);
});

test("treats empty fields in the registry and in the rig's file as fields that are not set", async () => {
  const claude = { bin: "", ready: "", delivery: "" };
  const { rig, runtime } = await openUser(JSON.stringify({ default: "", runtimes: { claude } }));
  await mkdir(join(rig, ".gastown"));
  await writeFile(join(rig, ".gastown", "runtime.json"), '{ "runtime": "" }');
  expect(await runtime.start({ workDir: rig })).toMatchObject({ runtime: "claude" });
});

test("chooses claude if no file names a runtime", async () => {
  const { rig, runtime } = await openUser("{}");
  expect(await runtime.start({ workDir: rig })).toMatchObject({ runtime: "claude" });
});

test("delays the first message to a runtime without a prompt, and retries it with backoff [s1.readiness.warmup] [s1.readiness.attempt] [s1.readiness.backoff]", async () => {
  const bin = await writeParrot(await temporaryDirectory());
  const parrot = { bin, ready: "warmup", ready_delay_ms: 200, delivery: "tmux" };
  const { rig, runtime } = await openUser(JSON.stringify({ runtimes: { parrot } }));
  const handle = await runtime.start({
    workDir: rig,
    runtimeName: "parrot",
    env: { DEAF_TO: "2" }, // the program ignores the first two messages
  });
  expect(Date.parse(handle.readyAt ?? "") - Date.parse(handle.startedAt)).toBeGreaterThan(200);
  const receipt = await runtime.sendMessage(handle, { text: "pieces of eight" });
  expect(receipt).toEqual({ status: "submitted", delivery: "tmux" });
});
