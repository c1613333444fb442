import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { ListedRuntime } from "../../schema/runtimes/runtime-info.ts";

test("lists runtimes with their capabilities [s1.cli.runtime-list]", async () => {
  const user = await newUser();
  const text = await runWarm(user, ["runtime", "list"]);
  expect(text).toMatchObject({ exitCode: 0, stderr: "" });
  expect(text.stdout).toMatch(/✓ pi +Pi 0\.74\.2 · default\n +can: deltas, reasoning, tools/);
  const json = await runWarm(user, ["runtime", "list", "--format", "json"]);
  const lines = json.stdout.trimEnd().split("\n");
  const runtimes = lines.map((line) => ListedRuntime.parse(JSON.parse(line)));
  const pi = runtimes.find(({ name }) => name === "pi");
  expect(pi).toMatchObject({ availability: { available: true, version: "0.74.2" } });
});
