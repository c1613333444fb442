import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentProcess } from "../../test/acp-client/agent-process.ts";
import { FirstClient } from "../../test/acp-client/first-client.ts";
import { killProcessesIn, processesIn } from "../../test/cli/processes.ts";
import { halyard, newUser, program, type User } from "../../test/cli/start-cli.ts";
import { acpxCommand } from "../../test/real/acpx.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { claudeToolCalls } from "../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../adapters/codex/events/tool-calls.ts";
import { eventually } from "../testing/eventually.ts";
import { programServer } from "../testing/mcp-server/index.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";

const piToolCalls = {
  write: (path: string, content: string) => ({ name: "write", input: { path, content } }),
};

const runtimes = [
  { runtime: "pi", api: "anthropic", tools: piToolCalls },
  { runtime: "codex", api: "openai-responses", tools: codexToolCalls },
  { runtime: "claude", api: "anthropic", tools: claudeToolCalls },
] as const;

/** Allows requests that affect this file and denies all others. */
function allowOnly(file: string) {
  return ({ options, toolCall }: RequestPermissionRequest): string => {
    const isMeant = JSON.stringify(toolCall).includes(file);
    const wanted = isMeant ? "allow_once" : "reject_once";
    return options.find(({ kind }) => kind === wanted)?.optionId ?? "";
  };
}

const song = "la ".repeat(400);

describe.each(runtimes)("$runtime with halyard acp", { retry: 0 }, ({ runtime, api, tools }) => {
  /** Creates a user with the real programs and a scripted model. */
  async function open(): Promise<{ user: User; model: ScriptedModel; args: string[] }> {
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const { id, baseUrl, apiKey } = model.endpoint(api);
    const user = await newUser({ HALYARD_API_KEY: apiKey });
    onTestFinished(() => killProcessesIn(user.cwd));
    await mkdir(user.home);
    await symlink(runtimesDir, join(user.home, "runtimes"));
    const write = (name: string) => ({ toolCalls: [tools.write(join(user.cwd, name), "made\n")] });
    model.on("write it", write("a.txt"), { text: "Written." });
    model.on("write more", write("b.txt"), { text: "Then not." });
    model.on("sing", { text: song, chunkSize: 6, chunkDelayMs: 30 });
    model.on("greet", { reasoning: "A greeting.", text: "Hello there." });
    const endpoint = ["--model", id, "--base-url", baseUrl, "--api", api];
    return { user, model, args: ["--runtime", runtime, ...endpoint] };
  }

  test("handles permission, denial, cancellation and further prompts with the official client", async () => {
    const { user, args } = await open();
    const agent = new AgentProcess(user, args);
    const client = new FirstClient(agent.stream, { answer: allowOnly("a.txt") });
    const sessionId = await client.newSession(user.cwd);
    expect(await client.prompt(sessionId, "write it")).toMatchObject({ stopReason: "end_turn" });
    const path = join(user.cwd, "a.txt");
    expect(await readFile(path, "utf8")).toBe("made\n");
    expect(client.asked).toMatchObject([{ toolCall: { kind: "edit", locations: [{ path }] } }]);
    const change = { type: "diff", path, newText: "made\n" };
    expect(client.of("tool_call_update").at(-1)).toMatchObject({
      status: "completed",
      content: expect.arrayContaining([expect.objectContaining(change)]),
    });
    expect(client.receivedText("agent_message_chunk")).toBe("Written.");

    await client.prompt(sessionId, "write more");
    await expect(readFile(join(user.cwd, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(client.receivedText("agent_message_chunk")).toBe("Written.Then not.");
    client.updates.length = 0;

    const singing = client.prompt(sessionId, "sing");
    await eventually(() => expect(client.receivedText("agent_message_chunk")).toContain("la"));
    await client.agent.notify("session/cancel", { sessionId });
    expect(await singing).toMatchObject({ stopReason: "cancelled" });
    const sung = client.receivedText("agent_message_chunk");
    expect(sung).not.toBe(song);
    expect(await client.prompt(sessionId, "greet me")).toMatchObject({ stopReason: "end_turn" });
    expect(client.receivedText("agent_message_chunk")).toBe(`${sung}Hello there.`);
    expect(await agent.leave()).toBe(0);
    expect(await processesIn(user.cwd)).toEqual([]);

    const next = new AgentProcess(user, args);
    const reader = new FirstClient(next.stream);
    await reader.agent.request("session/load", { sessionId, cwd: user.cwd, mcpServers: [] });
    expect(reader.receivedText("user_message_chunk")).toBe("write itwrite moresinggreet me");
    expect(reader.receivedText("agent_message_chunk")).toBe(`Written.Then not.${sung}Hello there.`);
    expect(await next.leave()).toBe(0);
  });

  test("passes the client's MCP server to the runtime, or notifies the user if the runtime does not support it", async () => {
    const { user, args } = await open();
    const agent = new AgentProcess(user, args);
    const client = new FirstClient(agent.stream);
    const [file, key] = [join(user.home, "server.json"), "sk-of-the-depths"];
    const depths = { ...programServer(file), name: "depths" };
    const sessionId = await client.newSession(user.cwd, [
      { ...depths, env: [{ name: "DEPTHS_KEY", value: key }] },
    ]);
    await client.prompt(sessionId, "greet me");
    const notice =
      "**Halyard:** pi does not support the client's MCP servers and runs without depths.\n\n";
    expect(client.receivedText("agent_message_chunk")).toBe(
      runtime === "pi" ? `${notice}Hello there.` : "Hello there.",
    );
    if (runtime !== "pi")
      await eventually(async () => expect(await readFile(file, "utf8")).toContain(key));
    expect(await agent.leave()).toBe(0);
    expect(await processesIn(user.cwd)).toEqual([]);
    const { stdout } = await halyard(user, ["events", sessionId, "--format", "json"]);
    expect(`${stdout}${agent.stderr}`).not.toContain(key);
  });

  test("handles permission and cancellation with acpx, a third-party client", async () => {
    const { user, args } = await open();
    const command = [process.execPath, program, "acp", ...args].join(" ");
    const [node, cli] = acpxCommand();
    const acpx = (...more: string[]) => [cli ?? "", "--agent", command, "--cwd", user.cwd, ...more];
    // Use a private TMPDIR, because acpx leaves directories there.
    const options = { cwd: user.cwd, env: { ...user.env, TMPDIR: user.env.HOME } };
    const run = (...more: string[]) => promisify(execFile)(node, acpx(...more), options);

    const { stdout } = await run("--approve-all", "--format", "quiet", "exec", "write it");
    expect(stdout.trim()).toBe("Written.");
    expect(await readFile(join(user.cwd, "a.txt"), "utf8")).toBe("made\n");

    await run("sessions", "new");
    const singing = spawn(node, acpx("--format", "json", "prompt", "sing"), options);
    onTestFinished(() => void singing.kill("SIGKILL"));
    let output = "";
    singing.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const ended = once(singing, "close");
    await vi.waitFor(() => expect(output).toContain("agent_message_chunk"), 30_000);
    await run("cancel");
    await ended;
    expect(output).toContain('"stopReason":"cancelled"');
    await run("sessions", "close");
    const { stdout: listed } = await halyard(user, ["sessions", "--format", "json"]);
    const states = listed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).state);
    expect(states).toEqual(["stopped", "stopped"]);
    await eventually(async () => expect(await processesIn(user.cwd)).toEqual([]));
  });
});
