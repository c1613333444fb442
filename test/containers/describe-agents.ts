import { spawnSync } from "node:child_process";
import { chown, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claudeToolCalls } from "../../src/adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../../src/adapters/codex/events/tool-calls.ts";
import { droidToolCalls } from "../../src/adapters/droid/events/tool-calls.ts";
import { piToolCalls } from "../../src/adapters/pi/events/tool-calls.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { ModelApi } from "../../src/schema/model.ts";
import type { ModelToolCall } from "../../src/testing/script.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { TEST_IMAGE } from "./test-image.ts";
import type { EngineUnderTest } from "./use-engine.ts";

/** The model API of each runtime, and the tool call that runs a command. */
export const agents = {
  pi: { api: "anthropic", shell: piToolCalls.shell },
  codex: { api: "openai-responses", shell: codexToolCalls.shell },
  claude: { api: "anthropic", shell: claudeToolCalls.shell },
  droid: { api: "openai-chat", shell: droidToolCalls.shell },
  opencode: {
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
  },
} as const satisfies Record<string, { api: ModelApi; shell(command: string): ModelToolCall }>;

export type AgentName = keyof typeof agents;

/** Creates a home, a working directory and a scripted model for agents in containers without a network. */
export async function setUpAgents({ env, runtime: engine }: EngineUnderTest) {
  const directory = await temporaryDirectory();
  const cwd = join(directory, "work");
  await mkdir(cwd);
  await chown(cwd, 1000, 1000);
  const home = join(directory, "home");
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const containers = async () =>
    (await engine.list({})).filter(({ labels }) => labels["halyard.directory"]?.startsWith(home));
  onTestFinished(async () => {
    for (const { id } of await containers()) await engine.remove(id);
  });
  const start = {
    cwd,
    host: "container",
    container: { image: TEST_IMAGE, network: "none" },
  } as const;
  return { cwd, home, model, env, start, engine, containers };
}

/** Tests the real programs in a container without a network. They reach their model through Halyard, which keeps the key. */
export function describeAgents(engine: EngineUnderTest, names: readonly AgentName[]): void {
  describe(`agents in a ${engine.runtime.name} container`, { timeout: 120_000 }, () => {
    test.each(names)(
      "%s works in the mounted directory, as the directory's owner, and never receives the key",
      async (runtime) => {
        const { cwd, home, model, env, start, containers } = await setUpAgents(engine);
        const { api, shell } = agents[runtime];
        const toolCalls = [shell("id -u > made; env > seen; cat /proc/[0-9]*/environ >> seen")];
        model.on("work", { toolCalls }, { text: "Done." });
        const endpoint = model.endpoint(api);
        await using halyard = await createHalyard({ home, env });
        await using session = await halyard.start({ ...start, runtime, model: endpoint });
        const turn = session.send("work");
        const events: StreamEvent[] = [];
        for await (const event of turn) events.push(event);

        expect(await turn.outcome).toMatchObject({ status: "completed", text: "Done." });
        expect(await readFile(join(cwd, "made"), "utf8")).toBe("1000\n");
        const seen = await readFile(join(cwd, "seen"), "utf8");
        expect(seen).toContain("HOME=/home/agent");
        expect(events.map(({ type }) => type)).toContain("tool_call");
        expect(events.filter(({ type }) => type === "request")).toEqual([]);
        const [container] = await containers();
        expect([seen, JSON.stringify(container)].join("\n")).not.toContain(endpoint.apiKey);
        expect(filesWith(endpoint.apiKey, [home, cwd])).toEqual([]);
        const { files } = await halyard.changes(session.id, { turnId: turn.id });
        expect(files.map(({ path }) => path)).toEqual(["made", "seen"]);
        await halyard.rewind(session.id, { to: "start" });
        await expect(readFile(join(cwd, "made"))).rejects.toThrow("ENOENT");
        await session.stop();
        expect(await containers()).toEqual([]);
      },
    );
  });
}

/** Tests the OpenCode servers of a container. */
export function describeOpenCodeServers(engine: EngineUnderTest): void {
  test("starts one OpenCode server per container, at port 4096, and again after the container was stopped", {
    timeout: 120_000,
  }, async () => {
    const { home, model, env, start, containers } = await setUpAgents(engine);
    model.on("Hello.", { text: "Hello." });
    await using halyard = await createHalyard({ home, env });
    const request = { ...start, runtime: "opencode", model: model.endpoint("openai-chat") };
    const sessions = [await halyard.start(request), await halyard.start(request)];
    for (const session of sessions)
      expect(await session.send("Hello.").outcome).toMatchObject({ text: "Hello." });
    const [container, ...others] = await containers();
    expect(others).toEqual([]);
    const listeners = await engine.runtime.exec(container?.id ?? "", {
      args: ["grep", "-c", " 0100007F:1000 .* 0A ", "/proc/net/tcp"], // the line of a listener on 127.0.0.1:4096
    });
    expect(listeners.stdout).toBe("1\n");
    expect(await serversIn(engine, container?.id ?? "")).toBe(1);
    await engine.runtime.stop(container?.id ?? "");
    expect(await engine.runtime.status(container?.id ?? "")).not.toBe("running");
    for (const session of sessions)
      await expect
        .poll(async () => (await session.send("Hello.").outcome).status, { timeout: 60_000 })
        .toBe("completed");
    const [again] = await containers();
    expect(await serversIn(engine, again?.id ?? "")).toBe(1);
  });

  test("starts a second OpenCode server in a container for a session with other settings", {
    timeout: 120_000,
  }, async () => {
    const { home, model, env, start, containers } = await setUpAgents(engine);
    model.on("Hello.", { text: "Hello." });
    await using halyard = await createHalyard({ home, env });
    const request = { ...start, runtime: "opencode", model: model.endpoint("openai-chat") };
    for (const permissions of ["allow-all", "ask"] as const) {
      const session = await halyard.start({ ...request, permissions });
      expect(await session.send("Hello.").outcome).toMatchObject({ text: "Hello." });
    }
    const [container, ...others] = await containers();
    expect(others).toEqual([]);
    expect(await serversIn(engine, container?.id ?? "")).toBe(2);
  });
}

/** Returns the number of OpenCode servers in a container. */
export async function serversIn({ runtime }: EngineUnderTest, container: string): Promise<number> {
  const script = 'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done';
  const { stdout } = await runtime.exec(container, { args: ["/bin/sh", "-c", script] });
  return stdout.split("\n").filter((line) => /opencode serve/.test(line)).length;
}

/** Returns the files below the directories that contain the text. */
function filesWith(text: string, directories: readonly string[]): string[] {
  const { stdout } = spawnSync("grep", ["-rlaF", "-D", "skip", text, ...directories], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line !== "");
}
