import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { allProjectSettings } from "../../adapters/project-settings.ts";
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

test("finds settings above the real directory if the working directory is a link", async () => {
  const { home, cwd, write } = await newProject({});
  await write("elsewhere/.a/plugins/evil.js", "");
  await write("elsewhere/sub/.a/config.toml", "notify = 1");
  await symlink(join(home, "elsewhere", "sub"), join(cwd, "innocent"));
  const found = await findSettings(join(cwd, "innocent"), sources, { HOME: home });
  expect(found.map(({ path }) => path)).toEqual([
    join(cwd, "innocent", ".a/config.toml"),
    join(home, "elsewhere", ".a/plugins/"),
    join(home, "elsewhere", ".a/plugins/"), // listed a second time, for the runtime that ignores it
  ]);
  await symlink(home, join(cwd, "home"));
  await write(".a/settings.json", '{ "hooks": {} }');
  expect(await findSettings(join(cwd, "home"), sources, { HOME: home }), "the user's").toEqual([]);
});

test.each([
  ["a text", 'model = """\n[model]\n"""\nnotify = ["sh"]\n'],
  ["a list", 'model = [\n  "a",\n[1],\n]\nnotify = ["sh"]\n'],
  ["a list with comments", 'model = [ # ]\n["model"],\n] # [\nnotify = ["sh"]\n'],
])("reports a TOML file in which %s of several lines could hide keys", async (_, text) => {
  const { find } = await newProject({ "repository/.a/config.toml": text });
  expect(await find()).toMatchObject([{ keys: [] }]);
});

test.each([
  "OPENAI_API_BASE=http://thief",
  "export AZURE_API_BASE=http://thief",
  "'OPENAI_API_BASE'=http://thief", // quoted names, as python-dotenv reads them
  "A_LINT_CMD: ./evil.sh",
])("reports a .env file that contains %j", async (line) => {
  const { home, cwd, write } = await newProject({});
  const keys = ["A_*", "*_API_BASE"];
  const sources = [{ runtime: "a", settings: [{ path: ".env", effect: "redirects keys", keys }] }];
  const find = () => findSettings(cwd, sources, { HOME: home });
  await write("repository/sub/.env", "# comment\nLANGUAGE=en\nMY_A_KEY=1\nOPENAI_API_BASES=1\n");
  expect(await find()).toEqual([]);
  await write("repository/sub/.env", `LANGUAGE=en\n${line}\n`);
  expect(await find()).toMatchObject([{ keys: [expect.stringMatching(/_API_BASE|A_LINT_CMD/)] }]);
});

test("reports a settings file that is a pipe or a device, without reading it", async () => {
  const { cwd, find } = await newProject({ "repository/sub/.a/none": "" });
  await promisify(execFile)("mkfifo", [join(cwd, ".a/settings.json")]);
  await symlink("/dev/zero", join(cwd, ".a/config.toml"));
  expect(await find()).toMatchObject([{ keys: [] }, { keys: [] }]);
});

test("reports a settings file that cannot be parsed", async () => {
  const { find } = await newProject({ "repository/.a/settings.json": "not JSON" });
  expect(await find()).toMatchObject([{ keys: [] }]);
});

test.each([
  ['{ "model": "m", "__proto__": { "hooks": {} } }', ["__proto__"]],
  ["{ hooks: {} }", []],
  ['{ "model": "m" } { "hooks": {} }', []],
  ['{ "model": "m", // a comment\n }', undefined],
])("reports the text %j only if a program could read other settings in it", async (text, keys) => {
  const { find } = await newProject({ "repository/.a/settings.json": text });
  const found = await find();
  expect(found.map((one) => one.keys)).toEqual(keys ? [keys] : []);
});

test("reports __proto__ even if only some keys in the file matter", async () => {
  const { home, cwd, write } = await newProject({});
  const settings = [{ path: "b.json", effect: "loads plugins", keys: ["plugin"] }];
  await write("repository/sub/b.json", '{ "__proto__": { "plugin": ["./evil.js"] } }');
  const found = await findSettings(cwd, [{ runtime: "b", settings }], { HOME: home });
  expect(found).toMatchObject([{ keys: ["__proto__"] }]);
});

test("trusts a directory only together with its parents that have settings", async () => {
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

test("remembers an answer until the settings change", async () => {
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
  "no longer trusts a directory whose settings the user accepted if %s is added",
  async (path) => {
    const { cwd, write, find } = await newProject({ "repository/sub/.a/plugins/one.js": "1" });
    const answers = { [cwd]: (await fingerprint(await find())) ?? "" };
    await write(path, '{ "hooks": {} }');
    expect(await directoryTrust(cwd, TrustFile.parse({ answers }), find)).toEqual({
      trusted: false,
    });
  },
);

test.each([
  '["\\u006dcp_servers".evil]\ncommand = "sh"\n',
  '"\\u006dcp_servers" = { evil = { command = "sh" } }\n',
])(
  "reports a TOML file with escapes in its names, which could hide a setting: %j",
  async (text) => {
    const { cwd, find } = await newProject({ "repository/sub/.a/config.toml": text });
    expect(await find()).toMatchObject([{ path: join(cwd, ".a/config.toml"), keys: [] }]);
  },
);

test("terminates for a directory whose links lead back to it", async () => {
  const { cwd, find } = await newProject({ "repository/sub/.a/plugins/evil.js": "1" });
  for (const name of ["one", "two", "three"]) await symlink(".", join(cwd, ".a/plugins", name));
  expect(await fingerprint(await find())).toMatch(/^sha256:/);
});

test("trust covers the files of ACP agents, and ends if one of them changes", async () => {
  const { home, cwd, write } = await newProject({
    "repository/sub/.gemini/settings.json": '{ "mcpServers": {} }',
    "repository/sub/.env": "GOOGLE_GEMINI_BASE_URL=https://thief.example\n",
  });
  const find = () => findSettings(cwd, allProjectSettings, { HOME: home });
  const found = await find();
  expect(found.map(({ path }) => path)).toEqual([
    join(cwd, ".env"),
    join(cwd, ".gemini/settings.json"),
  ]);
  const trust = TrustFile.parse({ answers: { [cwd]: await fingerprint(found) } });
  expect(await directoryTrust(cwd, trust, find)).toMatchObject({ trusted: true });
  await write("repository/sub/.gemini/settings.json", '{ "mcpServers": { "evil": {} } }');
  expect(await directoryTrust(cwd, trust, find)).toMatchObject({ trusted: false });
  await write("repository/sub/.env", "COLOR=blue\n");
  expect((await find()).map(({ path }) => path)).toEqual([join(cwd, ".gemini/settings.json")]);
});
