import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { eventually } from "../eventually.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { filesWith } from "./files.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests that a disposed connection leaves no process, and that the model key is not in files or events. */
export function describeEnding(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("kills the running command and background processes when the connection is disposed", async ({
    stage,
  }) => {
    const toolCalls = [tools.shell("sleep 300 > /dev/null 2>&1 & touch left")];
    const next = { toolCalls: [tools.shell("touch running; sleep 300")] };
    stage.model.on("work", { toolCalls }, next);
    const conversation = await stage.open();
    await conversation.send("work");
    await vi.waitFor(() => readFile(join(stage.cwd, "running")), { timeout: 10_000 });
    await conversation[Symbol.asyncDispose]();
    await eventually(() => expect(stage.survivors()).toEqual([]));
  });

  test("a connection can be disposed twice, and rejects messages afterwards", async ({
    shared,
  }) => {
    const conversation = await shared.open();
    const asked = shared.model.requests.length;
    await Promise.all([conversation[Symbol.asyncDispose](), conversation[Symbol.asyncDispose]()]);
    await conversation[Symbol.asyncDispose]();
    await expect(conversation.send("greet me")).rejects.toMatchObject({ name: "HalyardError" });
    expect(shared.model.requests).toHaveLength(asked);
  });

  test("does not write the model key to files or events", async ({ shared }) => {
    const endpoint = shared.model.endpoint(shared.apis[0]);
    shared.model.on("greet", { toolCalls: [tools.shell("true")] }, { text: "Hello." });
    const conversation = await shared.asking(() => ({ decision: "allow" }));
    const { end } = await conversation.turn("greet me");
    expect(end.status, "the model rejects requests without its key").toBe("completed");
    expect(JSON.stringify(conversation.drafts)).not.toContain(endpoint.apiKey);
    expect(await filesWith(shared.directory, endpoint.apiKey)).toEqual([]);
  });
}
