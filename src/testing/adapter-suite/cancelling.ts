import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import { speaking } from "./speaking.ts";

const slow = { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 };

export function describeCancelling(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("breaks off in the middle of a message and stays usable", async ({ shared }) => {
    const { conversation, model } = shared;
    model.on("sing", slow);
    model.on("greet", { text: "Hello." });
    const from = conversation.drafts.length;
    const asked = model.requests.length;
    await conversation.send("sing");
    await speaking(shared, conversation, { from, asked });
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.told(from);
    expect(end.status).toBe("cancelled");
    expect(spoken(drafts).join("").length).toBeLessThan(slow.text.length);
    const next = await conversation.turn("greet me");
    expect(spoken(next.drafts)).toEqual(["Hello."]);
  });

  test("can be cancelled as soon as it has the message", async ({ shared }) => {
    shared.model.on("sing", slow);
    const { conversation } = shared;
    const from = conversation.drafts.length;
    const sent = conversation.send("sing");
    await Promise.all([sent, conversation.connection.cancel()]);
    expect((await conversation.told(from)).end.status).toBe("cancelled");
  });

  test("ends the command that runs", async ({ shared }) => {
    const command = "echo $$ > pid; until [ -e on ]; do sleep 0.02; done; touch late";
    shared.model.on("wait", { toolCalls: [tools.shell(command)] });
    const { conversation } = shared;
    const from = conversation.drafts.length;
    await conversation.send("wait");
    const pid = await vi.waitFor(() => readPid(join(shared.cwd, "pid")), { timeout: 10_000 });
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.told(from);
    expect(end.status).toBe("cancelled");
    expect(ofType(drafts, "tool_result").every(({ isError }) => isError)).toBe(true);
    await writeFile(join(shared.cwd, "on"), "");
    // One that has ended may have to wait for the system to take note of it.
    const isGone = () => expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await vi.waitFor(isGone, { timeout: 5000 });
    expect(existsSync(join(shared.cwd, "late"))).toBe(false);
  });
}

export function describeSteering(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("takes a message into the turn under way", async ({ shared }) => {
    const toolCalls = [tools.shell("until [ -e go ]; do sleep 0.02; done")];
    shared.model.on("wait", { toolCalls }, { text: "Nobody came." });
    shared.model.on("LEFT", { toolCalls: [tools.shell("true")] }, { text: "To the left, then." });
    const { conversation } = shared;
    const from = conversation.drafts.length;
    await conversation.send("wait");
    await conversation.until("tool_call", from);
    await conversation.steer("now LEFT");
    await writeFile(join(shared.cwd, "go"), "");
    const { drafts, end } = await conversation.told(from);
    expect(spoken(drafts).at(-1)).toBe("To the left, then.");
    expect(end.status).toBe("completed");
    expect(ofType(conversation.drafts.slice(from), "completion")).toHaveLength(1);
  });
}

async function readPid(file: string): Promise<number> {
  const pid = Number(await readFile(file, "utf8"));
  if (!(pid > 1)) throw new Error("not yet");
  return pid;
}
