import { afterAll, beforeAll, expect, test } from "vitest";
import { everyAdapter } from "../../test/real/every-adapter.ts";
import { createScene, type Scene } from "../../test/real/scene.ts";

const schema = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
  additionalProperties: false,
};

let scene: Scene;
beforeAll(async () => {
  scene = await createScene(everyAdapter);
});
afterAll(() => scene[Symbol.asyncDispose]());

test.each([
  ["claude", "anthropic"],
  ["ccsdk", "anthropic"],
  ["codex", "openai-responses"],
  ["droid", "openai-chat"],
  ["opencode", "openai-chat"],
  ["pi", "openai-chat"],
] as const)(
  "%s returns data that matches the schema of a message after the model corrects its answer",
  async (runtime, api) => {
    const { halyard, cwd, model } = scene;
    model.on("How many tests", { text: '{ "count": "many" }' });
    model.on("does not match the JSON Schema", { text: '{ "count": 42 }' });
    const endpoint = model.endpoint(api);
    await using session = await halyard.start({ runtime, cwd, model: endpoint });
    const turn = session.send({ text: "How many tests are there?", schema });
    const retries: unknown[] = [];
    for await (const event of turn)
      if (event.type === "system" && event.subtype === "retry") retries.push(event.text);
    expect(await turn.outcome).toMatchObject({ status: "completed", data: { count: 42 } });
    expect(retries).toEqual([expect.stringContaining("count")]);
  },
);
