import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

test("exits with the error of a message that the session rejects before it records a turn", async () => {
  await using model = await startScriptedModel();
  const user = await newAgentUser(model);
  const schema = join(user.cwd, "schema.json");
  await writeFile(schema, '{ "$ref": "#/nowhere" }');
  const { exitCode, stdout, stderr } = await runWarm(user, [
    "run",
    ...user.agent,
    "--schema",
    schema,
    "greet me",
  ]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("Pass a valid JSON Schema. (invalid_input)"),
  });
  expect(stdout).not.toContain("Hello there.");
});
