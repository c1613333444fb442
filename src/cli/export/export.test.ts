import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startSession } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";

test("exports a session's log as JSON lines, as one JSON document and as an HTML page", async () => {
  const user = await newUser();
  expect((await runWarm(user, ["demo", "--format", "quiet"])).exitCode).toBe(0);
  const list = JSON.parse((await runWarm(user, ["sessions", "--format", "json"])).stdout);
  const { stdout } = await runWarm(user, ["export", "demo"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events).toHaveLength(list.lastSeq);
  const document = await runWarm(user, ["export", "demo", "--format", "json"]);
  expect(JSON.parse(document.stdout)).toEqual({ session: list, events });
  const file = join(user.cwd, "demo.html");
  expect(await runWarm(user, ["export", "demo", "--html", file])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringMatching(/^Wrote \d+ events to /),
  });
  const html = await readFile(file, "utf8");
  const [, log = ""] = /id="halyard-log">(.*?)<\/script>/s.exec(html) ?? [];
  expect(JSON.parse(log)).toEqual({ session: list, events });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await runWarm(user, ["export", "nosuch"])).toMatchObject({ exitCode: 4, stdout: "" });
  const directory = join(user.cwd, "directory");
  await mkdir(directory);
  expect(await runWarm(user, ["export", "demo", "--html", directory])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`Cannot write ${directory}: it is a directory.`),
  });
  expect(await readdir(user.cwd)).not.toContain("directory.new");
}, 60_000);

test("exports a daemon's sessions to an archive, and imports them into another home", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const ids = [await startSession(user, "say one"), await startSession(user, "say two")];
  for (const id of ids) await runWarm(user, ["wait", id]);
  const file = join(user.cwd, "two.halyard");
  expect(await runWarm(user, ["export", ...ids, "--archive", file])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringMatching(/^Wrote \d+ events of 2 sessions to /),
  });
  const other = { ...(await newUser()), cwd: user.cwd };
  expect(await runWarm(other, ["import", file])).toMatchObject({
    exitCode: 0,
    stdout: `${ids.join("\n")}\n`,
    stderr: expect.stringMatching(/^Imported 2 sessions with \d+ events\.\n$/),
  });
  const found = await runWarm(other, ["search", "two", "--format", "json"]);
  expect(JSON.parse(found.stdout.split("\n")[0] ?? "")).toMatchObject({ sessionId: ids[1] });
  expect(await runWarm(other, ["import", "missing.halyard"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("missing.halyard cannot be read: no such file"),
  });
});
