import { expect, test } from "vitest";
import { halyard, newUser } from "../../../test/cli/start-cli.ts";

test.concurrent.each([
  [1, 5],
  [8, 8],
])("--timeout %i fails the start of a hanging program after %i s", async (timeout, seconds) => {
  const user = await newUser();
  const hanging = ["--runtime", "acp", "--command", "sleep 600"];
  const startedAt = performance.now();
  const run = await halyard(user, ["run", ...hanging, "--timeout", String(timeout), "hi"]);
  expect(run).toMatchObject({
    exitCode: 124,
    stderr: expect.stringContaining(`longer than ${seconds} s`),
  });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(seconds * 1000);
});
