import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type AdapterTest, type RuntimeUnderTest, speaking } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";

const slow = { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 };

export function describeCancelling(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("breaks off in the middle of a message and stays usable", async ({ stage }) => {
    stage.model.on("sing", slow);
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open();
    await conversation.send("sing");
    await speaking(stage, conversation);
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.told();
    expect(end.status).toBe("cancelled");
    expect(spoken(drafts).join("").length).toBeLessThan(slow.text.length);
    const next = await conversation.turn("greet me");
    expect(spoken(next.drafts)).toEqual(["Hello."]);
  });

  test("can be cancelled as soon as it has the message", async ({ stage }) => {
    stage.model.on("sing", slow);
    const conversation = await stage.open();
    const sent = conversation.send("sing");
    await Promise.all([sent, conversation.connection.cancel()]);
    expect((await conversation.told()).end.status).toBe("cancelled");
  });

  test("ends the command that runs", async ({ stage }) => {
    stage.model.on("wait", { toolCalls: [tools.shell("echo $$ > pid; sleep 300")] });
    const conversation = await stage.open();
    await conversation.send("wait");
    const pid = await vi.waitFor(() => readPid(join(stage.cwd, "pid")), { timeout: 10_000 });
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.told();
    expect(end.status).toBe("cancelled");
    expect(ofType(drafts, "tool_result").every(({ isError }) => isError)).toBe(true);
    // One that has ended may have to wait for the system to take note of it.
    const isGone = () => expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await vi.waitFor(isGone, { timeout: 5000 });
  });
}

export function describeSteering(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("takes a message into the turn under way", async ({ stage }) => {
    const toolCalls = [tools.shell("until [ -e go ]; do sleep 0.02; done")];
    stage.model.on("wait", { toolCalls }, { text: "Nobody came." });
    stage.model.on("LEFT", { toolCalls: [tools.shell("true")] }, { text: "To the left, then." });
    const conversation = await stage.open();
    await conversation.send("wait");
    await conversation.until("tool_call");
    await conversation.steer("now LEFT");
    await writeFile(join(stage.cwd, "go"), "");
    const { drafts, end } = await conversation.told();
    expect(spoken(drafts).at(-1)).toBe("To the left, then.");
    expect(end.status).toBe("completed");
    expect(ofType(conversation.drafts, "completion")).toHaveLength(1);
  });
}

async function readPid(file: string): Promise<number> {
  const pid = Number(await readFile(file, "utf8"));
  if (!(pid > 1)) throw new Error("not yet");
  return pid;
}
