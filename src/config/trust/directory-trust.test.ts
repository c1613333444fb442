import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { TrustFile } from "../files/trust.ts";
import { directoryTrust } from "./directory-trust.ts";
import { findSettings } from "./find-settings.ts";
import { fingerprint } from "./fingerprint.ts";

const sources = [
  {
    runtime: "a",
    settings: [
      { path: ".a/settings.json", effect: "runs hooks", harmlessKeys: ["model"], ignoredBy: "-x" },
      { path: ".a/plugins/", effect: "is code" },
      { path: ".a/config.toml", effect: "starts servers", harmlessKeys: ["model"] },
    ],
  },
  { runtime: "b", settings: [{ path: ".a/plugins/", effect: "is code" }] },
  { runtime: "c", settings: [{ path: ".a/plugins/", effect: "is code", ignoredBy: "-y" }] },
];

async function newProject(files: Readonly<Record<string, string>>) {
  const home = await temporaryDirectory();
  const cwd = join(home, "repository", "sub");
  await mkdir(cwd, { recursive: true });
  const write = async (path: string, text: string) => {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const find = () => findSettings(cwd, sources, { HOME: home });
  return { home, cwd, write, find };
}

test("finds settings in the directory and above it, but not in the user's home", async () => {
  const { home, cwd, find } = await newProject({
    ".a/settings.json": '{ "hooks": {} }',
    "repository/.a/settings.json": '{ "model": "m", "hooks": {} }',
    "repository/sub/.a/plugins/evil.js": "",
    "repository/sub/.a/settings.json": '{ "model": "m" }',
    "repository/sub/.a/config.toml": 'model = "m"\n[mcp_servers.evil]\ncommand = "sh"\n',
  });
  expect(await find()).toEqual([
    {
      path: join(cwd, ".a/plugins/"),
      directory: cwd,
      runtimes: ["a", "b"],
      effect: "is code",
      keys: [],
    },
    {
      path: join(cwd, ".a/config.toml"),
      directory: cwd,
      runtimes: ["a"],
      effect: "starts servers",
      keys: ["mcp_servers"],
    },
    {
      path: join(cwd, ".a/plugins/"),
      directory: cwd,
      runtimes: ["c"],
      effect: "is code",
      keys: [],
      ignoredBy: "-y",
    },
    {
      path: join(home, "repository/.a/settings.json"),
      directory: join(home, "repository"),
      runtimes: ["a"],
      effect: "runs hooks",
      keys: ["hooks"],
      ignoredBy: "-x",
    },
  ]);
});

test("reports a settings file that cannot be parsed", async () => {
  const { find } = await newProject({ "repository/.a/settings.json": "not JSON" });
  expect(await find()).toMatchObject([{ keys: [] }]);
});

test("trusts a directory only together with those above it that have settings", async () => {
  const { home, cwd, find } = await newProject({
    "repository/.a/settings.json": '{ "hooks": {} }',
  });
  const repository = join(home, "repository");
  const trust = (directories: string[]) =>
    directoryTrust(cwd, TrustFile.parse({ directories }), find);
  expect(await trust([])).toEqual({ trusted: false });
  expect(await trust([cwd])).toEqual({ trusted: false });
  expect(await trust([repository])).toEqual({ trusted: true, by: "list", directory: repository });
  expect(await trust([`${repository}-other`])).toEqual({ trusted: false });
});

test("remembers an answer for as long as the settings are the same", async () => {
  const { cwd, write, find } = await newProject({
    "repository/sub/.a/plugins/one.js": "1",
    "repository/sub/.a/plugins/node_modules/package.js": "1",
  });
  const answers = { [cwd]: (await fingerprint(await find())) ?? "" };
  const trust = () => directoryTrust(cwd, TrustFile.parse({ answers }), find);
  expect(await trust()).toEqual({ trusted: true, by: "answer" });
  await write("repository/sub/.a/plugins/node_modules/package.js", "2");
  expect(await trust(), "packages of the runtime").toMatchObject({ trusted: true });
  await symlink("/etc", join(cwd, ".a/plugins/link"));
  expect(await trust(), "a new link").toEqual({ trusted: false });
});

test.each(["repository/sub/.a/plugins/two.js", "repository/.a/settings.json"])(
  "asks again when %s is added",
  async (path) => {
    const { cwd, write, find } = await newProject({ "repository/sub/.a/plugins/one.js": "1" });
    const answers = { [cwd]: (await fingerprint(await find())) ?? "" };
    await write(path, '{ "hooks": {} }');
    expect(await directoryTrust(cwd, TrustFile.parse({ answers }), find)).toEqual({
      trusted: false,
    });
  },
);
