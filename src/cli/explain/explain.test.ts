import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { fingerprint } from "../../config/trust/fingerprint.ts";
import { projectSettingsIn } from "../../config/trust/user-trust.ts";
import { trustPaths } from "../trust/trust-paths.ts";

test("prints the runtime, model, keys, permissions and host with their sources, but no key value", async () => {
  const user = await newUser({ LOCAL_KEY: "sk-planted" });
  const apiKey = ["$", "{LOCAL_KEY}"].join("");
  const files = {
    [join(user.cwd, "halyard.json")]: '{ "permissions": "deny", "model": "local" }',
    [join(dirname(user.cwd), ".gastown", "runtimes.json")]:
      '{ "default": "claude", "runtimes": { "claude": { "delivery": "tmux" } } }',
    [join(user.home, "models.json")]: JSON.stringify({
      models: { local: { model: "m", baseUrl: "http://127.0.0.1:9/v1", apiKey } },
    }),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const { stdout, exitCode } = await runWarm(user, ["explain", "--format", "json"]);
  expect(exitCode).toBe(0);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows).toEqual([
    { setting: "runtime", value: "claude", by: expect.stringMatching(/runtimes\.json: default$/) },
    { setting: "model", value: "m at http://127.0.0.1:9/v1", by: join(user.cwd, "halyard.json") },
    { setting: "keys", value: "set", by: `LOCAL_KEY, named by ${join(user.home, "models.json")}` },
    { setting: "permissions", value: "deny", by: join(user.cwd, "halyard.json") },
    { setting: "host", value: "tmux", by: "claude in ~/.gastown/runtimes.json" },
  ]);
  const text = await runWarm(user, ["explain"]);
  expect(text.stdout).toMatch(/^runtime +claude +~/);
  expect(text.stdout + stdout).not.toContain("sk-planted");
});

test("reports the default permissions if an untrusted directory sets looser ones", async () => {
  const user = await newUser();
  await writeFile(join(user.cwd, "halyard.json"), '{ "permissions": "allow-all" }');
  const { stdout } = await runWarm(user, ["explain"]);
  expect(stdout).toMatch(/^permissions +ask +default$/m);
});

test("reads config/models.json from the working directory or its nearest parent", async () => {
  const user = await newUser({ HALYARD_MODEL: "local" });
  const models = (id: string) => `{ "models": { "local": { "model": "${id}" } } }`;
  const below = join(user.cwd, "a", "b");
  await mkdir(below, { recursive: true });
  await mkdir(join(user.cwd, "config"));
  await writeFile(join(user.cwd, "config", "models.json"), models("above"));
  await runWarm(user, ["trust"]);
  const modelOf = async (cwd: string) => {
    const { stdout } = await runWarm(user, ["explain", "--format", "json", "-C", cwd]);
    return stdout
      .split("\n")
      .map((line) => line && JSON.parse(line))
      .at(1)?.value;
  };
  expect(await modelOf(below)).toBe("above");
  await mkdir(join(below, "config"));
  await writeFile(join(below, "config", "models.json"), models("near"));
  expect(await modelOf(below)).toBe("near");
});

test("explain, runtime explain and runtime list trust the files that the user accepted at the prompt", async () => {
  const user = await newUser();
  const file = join(user.cwd, "halyard.json");
  await writeFile(file, '{ "permissions": "allow-all", "runtime": "gemini" }');
  const found = await projectSettingsIn(user.cwd, trustPaths(user));
  const answers = { [await realpath(user.cwd)]: await fingerprint(found) };
  await mkdir(user.home, { recursive: true });
  await writeFile(join(user.home, "trust.json"), JSON.stringify({ answers }));
  const { stdout } = await runWarm(user, ["explain", "--format", "json"]);
  const rows = stdout.trim().split("\n");
  expect(rows.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      { setting: "runtime", value: "gemini", by: `${file}: runtime` },
      { setting: "permissions", value: "allow-all", by: file },
    ]),
  );
  const decision = await runWarm(user, ["runtime", "explain", "--format", "json"]);
  expect(JSON.parse(decision.stdout)).toMatchObject({ runtime: "gemini", source: "settings" });
  expect((await runWarm(user, ["runtime", "list"])).stdout).toMatch(/gemini .* · default\n/);
});
