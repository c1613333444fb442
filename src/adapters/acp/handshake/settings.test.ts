import { expect, test } from "vitest";
import { applySettings } from "./settings.ts";

const session = { sessionId: "s", version: 1, agent: "Heron" } as const;
const settings = { permissions: "ask", plan: false, hasEndpoint: false } as const;

/** Applies a model or a mode to an agent whose only option has this category and these choices. */
function apply(category: "model" | "mode", wanted: string, choices: readonly string[]) {
  const options = choices.map((value) => ({ value, name: "" }));
  const option = { id: category, category, type: "select", currentValue: "", options };
  const sent: unknown[] = [];
  const send = async (_method: string, params: unknown) => void sent.push(params);
  const response = { configOptions: [option] };
  return applySettings({ ...settings, [category]: wanted }, response, session, send).then(
    () => sent,
  );
}

test.each([
  ["model", 'Heron has no model "grey". Start the session without a model.'],
  ["mode", 'Heron has no mode "grey". Remove the option "mode".'],
] as const)(
  "explains what to do if the agent lists no choices for the %s",
  async (category, message) => {
    await expect(apply(category, "grey", [])).rejects.toMatchObject({
      code: "invalid_input",
      message,
    });
  },
);

test("lists at most 20 choices if the agent does not have the requested one", async () => {
  const two = apply("model", "grey", ["blue", "white"]);
  await expect(two).rejects.toThrow('Heron has no model "grey". Available: blue, white.');
  const many = Array.from({ length: 25 }, (_, index) => `m${index}`);
  await expect(apply("mode", "grey", many)).rejects.toThrow(/m18, m19, and 5 more\.$/);
});

test("sets the requested choice", async () => {
  expect(await apply("model", "blue", ["blue"])).toEqual([
    { sessionId: "s", configId: "model", value: "blue" },
  ]);
});
