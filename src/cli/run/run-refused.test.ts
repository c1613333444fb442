import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";

test.each([
  [["run", ""], 2, /The prompt is empty/],
  [["run", "-"], 2, /The prompt is empty/],
  [["run", "--cwd", "nowhere", "x"], 2, /nowhere does not exist/],
  [["run", "--cwd", "file", "x"], 2, /file is not a directory/],
  [["run", "--runtime", "emacs", "x"], 3, /Unknown runtime "emacs".*pi/],
  [["run", "--on-limit", "handoff:emacs", "x"], 3, /Unknown runtime "emacs"/],
  [
    ["run", "--on-limit", "handoff:acp", "x"],
    2,
    /onLimit: The runtime acp needs a command.*Choose another runtime for the handoff/s,
  ],
  [["run", "--on-limit", "handoff:goose", "x"], 3, /onLimit: goose cannot run here/],
  [["run", "--agent", "emacs", "x"], 3, /Unknown runtime "emacs"/],
  [["run", "--runtime", "Claude", "x"], 2, /expected a lower-case name. Did you mean "claude"\?/],
  [["run", "--name", "last", "x"], 2, /"last" is reserved/],
  [["run", "--api-key-env", "NO_KEY", "x"], 2, /NO_KEY is not set in the environment/],
  [["run", "--base-url", "nowhere", "x"], 2, /--base-url: expected an http or https URL/],
  [["run", "--resume", "ses_zz", "x"], 4, /No session has the id or name "ses_zz"/],
  [["events", "ses_0123456789abcdef"], 4, /No session has the id/],
  [["events", ""], 2, /The session id is empty/],
  [["run", "--network", "none", "x"], 2, /container\.network: .* Choose the container host/],
  [
    ["run", "--resume", "ses_zz", "--network", "none", "x"],
    2,
    /--resume.* cannot be used with .*--network/,
  ],
  ...[[], ["--cluster", "nats://127.0.0.1:1"]].map((global): [string[], number, RegExp] => [
    [...global, "run", "--on", "gpu1", "x"],
    2,
    /--on needs --detach, .* this machine\. Run "halyard run --detach --on gpu1 …"\. \(invalid_input\)\n$/,
  ]),
  [["run", "--command", "goose acp", "x"], 2, /runtime of this session is pi\. Add --runtime acp/],
  [["run", "-r", "codex", "--command", "goose acp", "x"], 2, /is codex\. Add --runtime acp/],
  [["sessions", "-n", "0"], 2, /Expected a whole number above 0/],
  [["run", "x"], 3, /key/],
])("halyard %j exits with %d and leaves no run directory", async (args, exitCode, message) => {
  const user = await newUser();
  await writeFile(join(user.cwd, "file"), "");
  const finished = await runWarm(user, args);
  expect(finished).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(message) });
  expect(await readdir(join(user.home, "run")).catch(() => [])).toEqual([]);
});

test.each([
  ["run", / in the cluster; needs --detach /],
  ["start", / in the cluster --repo /],
])("halyard %s --help describes whether --on needs --detach", async (command, text) => {
  const { stdout } = await runWarm(await newUser(), [command, "--help"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(text);
});

test("reports the file, line and column of a malformed setting", async () => {
  const user = await newUser();
  const file = join(user.cwd, "config", "models.json");
  await mkdir(join(user.cwd, "config"));
  await writeFile(file, '{\n  "models": { "a": { "model": 7 } }\n}');
  const { exitCode, stderr } = await runWarm(user, ["run", "--format", "quiet", "x"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${file}:2:31: models.a.model: expected string, received number`);
});

test.each([
  ["config/server.json", "agent_runtime"],
  [".gastown/runtime.json", "runtime"],
  ["halyard.json", "runtime"],
])("names the trusted file that sets an unknown runtime: %s", async (path, key) => {
  const user = await newUser();
  const file = join(user.cwd, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ [key]: "nope" }));
  await runWarm(user, ["trust", user.cwd]);
  const { exitCode, stderr } = await runWarm(user, ["run", "x"]);
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringContaining(`${file}: ${key}: unknown runtime "nope"`),
  ]);
});

test("`sessions` exits with 0 if there are no sessions", async () => {
  const user = await newUser();
  expect(await runWarm(user, ["sessions"])).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await runWarm(user, ["sessions", "--format", "json"])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "",
  });
});

test("suggests similar names for misspelled runtimes, models and sessions", async () => {
  const user = await newUser();
  await mkdir(join(user.cwd, "config"));
  await writeFile(
    join(user.cwd, "config", "models.json"),
    JSON.stringify({ models: { local: { model: "m", baseUrl: "http://127.0.0.1:1" } } }),
  );
  const { stderr: runtime } = await runWarm(user, ["run", "-r", "cluade", "hi"]);
  expect(runtime).toContain('Did you mean "claude"?');
  for (const command of [["run", "hi"], ["explain"]]) {
    const { stderr: upper } = await runWarm(user, [...command, "-r", "Claude"]);
    expect(upper).toContain('a lower-case name. Did you mean "claude"?');
  }
  const { stderr: named } = await runWarm(user, ["run", "-r", "pi", "-m", "locl", "hi"]);
  expect(named).toContain('models.json has no model "locl". Did you mean "local"?');
  await runWarm(user, ["run", "-r", "pi", "--name", "review", "hi"]);
  const { stderr: session } = await runWarm(user, ["events", "reveiw"]);
  expect(session).toContain('Did you mean "review"?');
});
