import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesWith, openServer, shell } from "../../../test/compat/oubliette.ts";
import { collect } from "../../testing/compat-suite/compat-stage.ts";
import { EventTypeMessage } from "./index.ts";

describe.each(["droid", "opencode"] as const)("%s", (name) => {
  test("runs and resumes a session of the project's runtime with only the seeds' files and parameters", async () => {
    const projectID = "garden";
    const { home, model, open, workingDir } = await openServer(name, { projectID });
    const write = shell[name]("echo built > made.txt");
    model.on("build", { toolCalls: [write] }, { text: "Built." });
    model.on("recall", { text: "You asked me to build." });
    const runtime = open();
    expect(runtime.name, "metadata.json takes precedence over server.json").toBe(name);
    await runtime.initialize({ workingDir, model: "fast", projectID });
    const executor = await runtime.executeStreaming({ prompt: "build it" });
    await executor.done;
    expect(await executor.wait()).toEqual({ exitCode: 0, error: undefined });
    expect(executor.isClosed).toBe(false);
    expect(await readFile(join(workingDir, "made.txt"), "utf8")).toBe("built\n");
    const { sessionID, runtimeSessionID } = executor;
    await executor.close();
    const events = await collect(executor.events);
    const answer = { type: EventTypeMessage, role: "assistant", text: "Built." };
    expect(events).toContainEqual(expect.objectContaining(answer));
    const received = events.flatMap((event) => {
      if (event.type === "message") return [`${event.role}: ${event.text}`];
      if (event.type === "system") return event.subtype === "step" ? ["step"] : [];
      return event.type === "delta" ? [] : [event.type];
    });
    expect(received.filter((line) => line !== "step")).toEqual([
      "user: build it",
      "tool_call",
      "tool_result",
      "assistant: Built.",
      "completion",
    ]);
    expect(received.includes("step")).toBe(name === "opencode");
    if (name === "droid") {
      const file = join(home, "sessions", sessionID, "droid", ".factory", "settings.json");
      const settings = await readFile(file, "utf8");
      expect(JSON.parse(settings).customModels).toMatchObject([
        { model: model.endpoint("openai-chat").id, displayName: "Fast" },
        { model: "other-1", displayName: "other" },
      ]);
      expect(settings).not.toMatch(/sk-/);
    }
    const { apiKey } = model.endpoint("openai-chat");
    expect(JSON.stringify(events)).not.toContain(apiKey);
    expect(await filesWith(apiKey, home), "keys stay in config/models.json").toEqual([]);
    await runtime.close();

    const later = open();
    await later.initialize({ workingDir, model: "fast", projectID });
    const response = await later.execute({ prompt: "recall", runtimeSessionID });
    expect(response).toMatchObject({ sessionID, runtimeSessionID, turns: 2 });
    const observed = model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(observed).toContainEqual(expect.stringContaining("build it"));
  });
});
