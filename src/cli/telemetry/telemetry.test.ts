import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, StartedCli } from "../../../test/cli/start-cli.ts";
import { OtlpReceiver } from "../../../test/telemetry/otlp-receiver.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";

test("exports past turns' spans to the configured receiver, or prints them", async () => {
  const user = await newUser();
  const { home, cwd } = user;
  await using receiver = await OtlpReceiver.start();
  {
    await using local = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    const session = await local.start({
      runtime: "fake",
      cwd,
      name: "api",
      permissions: "allow-all",
    });
    await session.send("sh echo hello").outcome;
  }
  const none = await runWarm(user, ["telemetry", "export"]);
  expect(none).toMatchObject({ exitCode: 2, stdout: "" });
  expect(none.stderr).toContain("Pass its URL with --endpoint");
  const telemetry = { endpoint: receiver.endpoint };
  await writeFile(join(home, "config.json"), JSON.stringify({ telemetry }));
  expect(await runWarm(user, ["telemetry", "export", "--session", "api"])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "Sent 3 spans of 1 session.\n",
  });
  const printed = await runWarm(user, ["telemetry", "export", "--since", "1h", "--format", "json"]);
  const spans = printed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(spans.map(({ spanId }) => spanId)).toEqual(receiver.spans.map(({ spanId }) => spanId));
  const future = await runWarm(user, ["telemetry", "export", "--since", "2099-01-01"]);
  expect(future.stderr).toBe("Sent 0 spans of 0 sessions.\n");
  expect(await runWarm(user, ["telemetry", "export", "--since", "soon"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("an age such as 12h or 7d"),
  });
  const closed = ["--endpoint", "http://127.0.0.1:1"];
  expect(await runWarm(user, ["telemetry", "export", ...closed])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /^error: The receiver http:\/\/127\.0\.0\.1:1\/v1\/traces did not accept the spans: .*ECONNREFUSED/,
    ),
  });
  expect(await runWarm(user, ["telemetry", "export", "--endpoint", "collector"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"collector", which is not an HTTP URL'),
  });
}, 60_000);

test("names the packages to install if they are missing", async () => {
  const user = await newUser();
  const root = join(user.cwd, "installed");
  const ours = fileURLToPath(new URL("../../../", import.meta.url));
  await mkdir(join(root, "node_modules"), { recursive: true });
  for (const name of await readdir(join(ours, "node_modules")))
    if (name !== "@opentelemetry")
      await symlink(join(ours, "node_modules", name), join(root, "node_modules", name));
  // Without --preserve-symlinks-main, Node would search for packages at the target of the link.
  await symlink(join(ours, "dist"), join(root, "dist"));
  await symlink(join(ours, "package.json"), join(root, "package.json"));
  const flags = ["--preserve-symlinks", "--preserve-symlinks-main"];
  const args = ["telemetry", "export", "--endpoint", "http://127.0.0.1:9"];
  const cli = new StartedCli(user, [
    process.execPath,
    ...flags,
    join(root, "dist/bin/halyard.js"),
    ...args,
  ]);
  const { stderr, exitCode } = await cli.finished;
  expect(stderr).toMatch(/Run "npm install @opentelemetry\/exporter-trace-otlp-proto@/);
  expect(exitCode).not.toBe(0);
});
