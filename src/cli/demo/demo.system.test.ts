import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processesIn } from "../../../test/cli/processes.ts";
import { halyard, newUser } from "../../../test/cli/start-cli.ts";
import { StreamEvent } from "../../schema/event.ts";

test("runs without a console or a key, names the scripted model, and writes the file", async () => {
  const user = await newUser();
  const { exitCode, stdout, stderr } = await halyard(user, ["demo"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const file = join(user.home, "demo", "hello.mjs");
  const content = await readFile(file, "utf8");
  expect(stdout).toContain("Its model is a script on this machine (127.0.0.1)");
  expect(stdout).toContain("→ write hello.mjs");
  expect(stdout).toMatch(/→ bash node hello.mjs\n {2}Good \w+ from Halyard!/);
  expect(stdout).toMatch(/✓ completed · .* s · 4.6k tokens in, 193 out · ses_\w{16}\n/);
  expect(stdout).toContain(content.trimEnd().split("\n").join("\n  "));
  expect(stdout).toMatch(/halyard events ses_\w{16}/);
  expect(await processesIn(user.home)).toEqual([]);

  const again = await halyard(user, ["demo", "--format", "json"]);
  expect(again.exitCode).toBe(0);
  const events = again.stdout
    .trimEnd()
    .split("\n")
    .map((line) => StreamEvent.parse(JSON.parse(line)));
  expect(events.at(-1)?.type).toBe("completion");
  const list = await halyard(user, ["sessions"]);
  expect(list.stdout.match(/ demo\n/g)).toHaveLength(2);
});
