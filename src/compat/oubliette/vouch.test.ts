import { execFile } from "node:child_process";
import { mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { enter } from "../../../test/compat/oubliette.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { loadAgentConfig, newRuntime } from "./index.ts";

const models = { fast: { model: "m", baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-1" } };
const files = {
  "config/server.json": { agent_runtime: "droid" },
  "config/models.json": { models },
  "config/factory.json": { api_key: "fk-1" },
};

/** Creates a directory with a server's files, and makes it the working directory of this process. */
async function openServer() {
  const root = await realpath(await temporaryDirectory());
  const at = join(root, "server");
  const write = async (name: string, content: unknown) => {
    await mkdir(dirname(join(at, name)), { recursive: true });
    await writeFile(join(at, name), JSON.stringify(content));
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const git = (...args: string[]) =>
    promisify(execFile)("git", ["-C", at, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  const env = { PATH: process.env.PATH, HOME: root, HALYARD_HOME: join(root, "home") };
  const fake = fakeAdapter();
  const droid = {
    ...fake,
    name: "droid",
    capabilities: [...fake.capabilities, "endpoints" as const],
    isSignedIn: async () => false,
  };
  const open = () => {
    const runtime = newRuntime(undefined, { create: { env, adapters: [droid] } });
    onTestFinished(() => runtime.close());
    return runtime;
  };
  enter(at);
  return { at, env, git, open, write };
}

const untrusted = { code: "untrusted_directory" };
const named = { prompt: "say hi", model: "fast" };

describe("newRuntime without a configuration", () => {
  test("uses the models and the key in files that git does not track", async () => {
    const { git, open, write } = await openServer();
    await git("init", "-q");
    await write(".gitignore", "");
    await git("add", ".gitignore");
    await git("commit", "-qm", "first");
    await open().initialize();
    expect(await open().execute(named)).toMatchObject({ result: "hi" });
  });

  test("does not use the models and the key in a cloned repository", async () => {
    const { at, git, open } = await openServer();
    await git("init", "-q");
    await git("add", ".");
    await git("commit", "-qm", "first");
    await rename(at, `${at}.origin`);
    await promisify(execFile)("git", ["clone", "-q", `${at}.origin`, at]);
    process.chdir(at);
    await expect(open().execute(named)).rejects.toMatchObject({
      ...untrusted,
      message: expect.stringContaining(`halyard trust ${at}`),
    });
    await expect(open().initialize()).rejects.toMatchObject({
      code: "not_signed_in",
      message: expect.stringContaining(`factory.json contains a key for Droid and is ignored`),
    });
    await expect(loadAgentConfig()).rejects.toMatchObject(untrusted);
  });

  test.each(["config", "config/models.json"])(
    "does not use tracked models through a link at %s",
    async (name) => {
      const { at, git, open } = await openServer();
      await rename(join(at, name), join(at, "elsewhere"));
      await symlink(join(at, "elsewhere"), join(at, name));
      await git("init", "-q");
      await git("add", ".");
      await expect(open().execute(named)).rejects.toMatchObject(untrusted);
    },
  );

  test("does not use models if git cannot read the repository", async () => {
    const { at, git, open } = await openServer();
    await git("init", "-q");
    await writeFile(join(at, ".git/index"), "broken");
    await expect(open().execute(named)).rejects.toMatchObject(untrusted);
  });

  test("does not use the models in a directory that the process changes to later", async () => {
    const { at, open, write } = await openServer();
    await rm(join(at, "config/factory.json"));
    const [runtime, other] = [open(), open()];
    await write("clone/config/models.json", { models: { theirs: models.fast } });
    process.chdir(join(at, "clone"));
    expect(await runtime.execute({ ...named, workingDir: at })).toMatchObject({ result: "hi" });
    const theirs = other.execute({ ...named, model: "theirs", workingDir: at });
    await expect(theirs).rejects.toMatchObject({ code: "not_signed_in" });
  });
});

test("loadAgentConfig ignores the models in an untrusted parent directory", async () => {
  const { at, env } = await openServer();
  await mkdir(join(at, "below"));
  expect((await loadAgentConfig({ cwd: at, env })).models).toMatchObject({ models });
  expect((await loadAgentConfig({ cwd: join(at, "below"), env })).models).toBeUndefined();
  await rm(join(at, "config"), { recursive: true });
  expect(await loadAgentConfig({ cwd: at, env })).toEqual({});
});
