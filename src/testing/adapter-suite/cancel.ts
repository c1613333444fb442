import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import { untilFirstOutput } from "./first-output.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

const slow = { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 };

/** Tests the capability `cancel`. */
export function describeCancel(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("cancels a turn during a message and accepts the next message", async ({ shared }) => {
    const { conversation, model } = shared;
    model.on("sing", slow);
    model.on("greet", { text: "Hello." });
    const from = conversation.drafts.length;
    const asked = model.requests.length;
    await conversation.send("sing");
    await untilFirstOutput(shared, conversation, { from, asked });
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(end.status).toBe("cancelled");
    expect(assistantTexts(drafts).join("").length).toBeLessThan(slow.text.length);
    const next = await conversation.turn("greet me");
    expect(assistantTexts(next.drafts)).toEqual(["Hello."]);
  });

  test("cancels a turn while its message is being sent", async ({ shared }) => {
    shared.model.on("sing", slow);
    const { conversation } = shared;
    const from = conversation.drafts.length;
    const sent = conversation.send("sing");
    await Promise.all([sent, conversation.connection.cancel()]);
    expect((await conversation.finishedTurn(from)).end.status).toBe("cancelled");
  });

  test("kills the running command when the turn is cancelled", async ({ shared }) => {
    const command = "echo $$ > pid; until [ -e on ]; do sleep 0.02; done; touch late";
    shared.model.on("wait", { toolCalls: [tools.shell(command)] });
    const { conversation } = shared;
    const from = conversation.drafts.length;
    await conversation.send("wait");
    const pid = await vi.waitFor(() => readPid(join(shared.cwd, "pid")), { timeout: 10_000 });
    await conversation.connection.cancel();
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(end.status).toBe("cancelled");
    expect(ofType(drafts, "tool_result").every(({ isError }) => isError)).toBe(true);
    await writeFile(join(shared.cwd, "on"), "");
    // Polls, because the process may be a zombie for a moment after it has exited.
    const isGone = () => expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await vi.waitFor(isGone, { timeout: 5000 });
    expect(existsSync(join(shared.cwd, "late"))).toBe(false);
  });
}

/** Tests the capability `steer`. */
export function describeSteering(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("adds a steered message to the current turn", async ({ shared }) => {
    const toolCalls = [tools.shell("until [ -e go ]; do sleep 0.02; done")];
    shared.model.on("wait", { toolCalls }, { text: "Nobody came." });
    shared.model.on("LEFT", { toolCalls: [tools.shell("true")] }, { text: "To the left, then." });
    const { conversation } = shared;
    const from = conversation.drafts.length;
    await conversation.send("wait");
    await conversation.until("tool_call", from);
    await conversation.steer("now LEFT");
    await writeFile(join(shared.cwd, "go"), "");
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(assistantTexts(drafts).at(-1)).toBe("To the left, then.");
    expect(end.status).toBe("completed");
    expect(ofType(conversation.drafts.slice(from), "completion")).toHaveLength(1);
  });
}

async function readPid(file: string): Promise<number> {
  const pid = Number(await readFile(file, "utf8"));
  if (!(pid > 1)) throw new Error("The command has not written its pid yet.");
  return pid;
}
