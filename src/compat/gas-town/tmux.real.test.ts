import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { openStage, type ScreenRuntime } from "../../../test/screens/stage.ts";
import { SessionId } from "../../schema/id.ts";
import { createAgentRuntime, type SessionHandle } from "./index.ts";

const runtimes: ScreenRuntime[] = ["claude", "codex"];

describe.each(runtimes)("%s in tmux through Gas Town's interface", (runtimeName) => {
  async function launch(mode: "minimal" | "tmux") {
    const { home, cwd, model, endpoint, tools, open } = await openStage(runtimeName);
    model.on("look", { text: "I look.", toolCalls: [tools.shell("echo here")] }, { text: "Here." });
    model.on("greet", { text: "Hello." });
    const halyard = await open();
    const runtime = createAgentRuntime({ halyard });
    const handle = await runtime.start({
      runtimeName,
      mode,
      workDir: cwd,
      initialPrompt: "look around",
      model: endpoint,
    });
    const ended = async ({ sessionID }: SessionHandle, turns: number) => {
      const sessionId = SessionId.parse(sessionID);
      const received: string[] = [];
      for await (const event of halyard.events(sessionId)) {
        if (event.type === "message" && event.role === "assistant")
          received.push(`${event.channel} ${event.text}`);
        if (event.type === "tool_call") received.push(`${event.kind} ${event.name}`);
        if (event.type === "tool_result")
          received.push(event.output.includes("here") ? "here" : "?");
        if (event.type === "completion") received.push(event.outcome.status);
        if (received.filter((line) => line === "completed").length === turns) return received;
      }
      return received;
    };
    const shown = async ({ sessionID }: SessionHandle) => {
      const pane = ["capture-pane", "-p", "-t", `=${sessionID}:`];
      return (await promisify(execFile)("tmux", ["-S", join(home, "tmux.sock"), ...pane])).stdout;
    };
    return { halyard, runtime, handle, ended, shown };
  }

  test("confirms a message, and is neither ready nor running after a SIGKILL", async () => {
    const { halyard, runtime, handle, ended, shown } = await launch("tmux");
    expect(await halyard.find(SessionId.parse(handle.sessionID))).toMatchObject({ host: "tmux" });
    await ended(handle, 1);
    expect(await runtime.isReady(handle)).toBe(true);
    expect(await runtime.detectRunning(handle)).toBe(true);
    const receipt = await runtime.sendMessage(handle, { text: "greet me", delivery: "tmux" });
    const delivery = runtimeName === "codex" ? "rpc" : "tmux"; // because Codex on a screen receives messages over RPC
    expect(receipt).toEqual({ status: "confirmed", delivery });
    expect((await ended(handle, 2)).at(-2)).toBe("text Hello.");
    await expect.poll(() => shown(handle)).toMatch(/greet me[\s\S]*Hello\./);
    expect(
      (await runtime.listSessions({ running: true })).map(({ sessionID }) => sessionID),
    ).toEqual([handle.sessionID]);

    process.kill(handle.pid ?? 0, "SIGKILL");
    await expect.poll(() => runtime.detectRunning(handle)).toBe(false);
    await expect.poll(() => runtime.isReady(handle)).toBe(false);
    expect(await runtime.listSessions({ running: true })).toEqual([]);
  });

  test("produces the same events as without a screen [s1.goals.host-parity]", async () => {
    const [plain, onScreen] = await Promise.all([launch("minimal"), launch("tmux")]);
    const received = await onScreen.ended(onScreen.handle, 1);
    expect(received).toEqual(await plain.ended(plain.handle, 1));
    expect(received).toContain("here");
  });
});
