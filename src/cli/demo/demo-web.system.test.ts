import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { processesIn } from "../../../test/cli/processes.ts";
import { newUser, program, StartedCli } from "../../../test/cli/start-cli.ts";
import { connectHalyard } from "../../client/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

test("shows three agents at work, lets the page answer one request, and leaves no files or processes behind", async () => {
  const scratch = await temporaryDirectory();
  const user = await newUser({ TMPDIR: scratch });
  const args = ["demo", "--web", "--no-browser"];
  const cli = new StartedCli(user, [process.execPath, program, ...args]);
  await cli.says(/#code=\S+\n/);
  const link = new URL(cli.stdout.trim());
  const { origin } = link;
  const body = JSON.stringify({ code: link.hash.slice("#code=".length) });
  const init = { method: "POST", headers: { origin }, body };
  const signedIn = await fetch(new URL("/v1/sign-in", origin), init);
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const asPage: typeof fetch = (input, { headers, ...rest } = {}) =>
    fetch(input, {
      ...rest,
      headers: { ...Object.fromEntries(new Headers(headers)), origin, cookie },
    });
  await using halyard = await connectHalyard(origin, { fetch: asPage });
  expect((await halyard.sessions()).map(({ name }) => name).sort()).toEqual([
    "greeting",
    "release",
    "tests",
  ]);
  const outcomes: string[] = [];
  for await (const { event } of halyard.allEvents()) {
    if (event.type === "request" && event.verdict === "ask") {
      const session = await halyard.session(event.sessionId);
      expect(session.info).toMatchObject({ name: "release", state: "waiting" });
      await session.answer(event.requestId, { decision: "allow" });
    }
    if (event.type === "completion") outcomes.push(event.outcome.status);
    if (outcomes.length === 3) break;
  }
  expect(outcomes).toEqual(["completed", "completed", "completed"]);
  const results = await Promise.all(
    (await halyard.sessions()).map(async ({ id }) => (await halyard.window(id)).events),
  );
  const failed = results.flat().filter((event) => event.type === "tool_result" && event.isError);
  expect(failed).toHaveLength(1); // the first version of slug.mjs fails its test
  await halyard[Symbol.asyncDispose]();
  cli.process.kill("SIGINT");
  expect((await cli.finished).exitCode).toBe(0);
  expect((await readdir(scratch)).filter((name) => name.startsWith("halyard-demo"))).toEqual([]);
  expect(await processesIn(scratch)).toEqual([]);
}, 60_000);
