import { lstat, mkdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { toCommand } from "./command.ts";
import { KEY_VARIABLE, writeHome } from "./home/home.ts";
import { findLogin, isSignedIn, modelSource } from "./model.ts";
import { profileSettings, threadPolicy } from "./policy.ts";
import { modeChange, threadParams } from "./thread.ts";

const request = sampleRequest({ host: createLocalHost(), env: { FRUIT: "banana" } });

const endpoint = { kind: "endpoint", baseUrl: "http://127.0.0.1:1/v1", apiKey: "sk-1" } as const;

test("passes the key in Halyard's own variable, and no other secrets from Halyard's environment", () => {
  const env = { PATH: "/bin", OPENAI_API_KEY: "sk-2", SECRET: "x" };
  expect(toCommand(request, { file: "/codex", source: endpoint, env })).toEqual({
    file: "/codex",
    args: ["app-server"],
    cwd: "/workspace",
    env: {
      PATH: "/bin",
      FRUIT: "banana",
      [KEY_VARIABLE]: "sk-1",
      CODEX_HOME: "/state/codex",
      CODEX_INTERNAL_APP_SERVER_REMOTE_CONTROL_DISABLED: "1",
    },
  });
});

test("writes a private home that links to the login, or that configures an endpoint without its key", async () => {
  const directory = await temporaryDirectory();
  const user = join(directory, "user");
  await mkdir(user);
  await writeFile(join(user, "auth.json"), "{}");
  const login = await findLogin({ CODEX_HOME: user });
  const home = join(directory, "codex");
  await writeHome(home, { source: { kind: "login" }, login });
  expect(await readlink(join(home, "auth.json"))).toBe(join(user, "auth.json"));
  const config = join(home, "config.toml");
  expect((await stat(config)).mode & 0o777).toBe(0o600);
  expect(await readFile(config, "utf8")).toContain('model_provider = "openai"\n');

  await writeHome(home, { source: endpoint, login });
  await expect(lstat(join(home, "auth.json"))).rejects.toMatchObject({ code: "ENOENT" });
  const text = await readFile(config, "utf8");
  expect(text).toContain(`model_providers.halyard.base_url = "${endpoint.baseUrl}"\n`);
  expect(text).toContain(`shell_environment_policy.exclude = ["${KEY_VARIABLE}"]\n`);
  expect(text).not.toContain(endpoint.apiKey);
});

test("finds no login if the login file does not exist", async () => {
  const directory = await temporaryDirectory();
  expect(await findLogin({ HOME: directory })).toBeUndefined();
  expect(await findLogin({})).toBeUndefined();
  expect(await isSignedIn({ HOME: directory })).toBe(false);
  expect(await isSignedIn({ HOME: directory, OPENAI_API_KEY: "sk" })).toBe(true);
});

test("prefers the request's endpoint or key, then Codex's key, then the login, then the OpenAI key", () => {
  const env = { CODEX_API_KEY: "sk-codex", OPENAI_API_KEY: "sk-openai" };
  const url = "https://api.openai.com/v1";
  const key = (apiKey: string, baseUrl = url) => ({ kind: "endpoint", baseUrl, apiKey });
  const { baseUrl } = endpoint;
  const login = { hasLogin: true };
  expect(modelSource({ baseUrl }, env, login)).toEqual({ ...endpoint, apiKey: undefined });
  expect(modelSource({ apiKey: "sk-1" }, env, login)).toEqual(key("sk-1"));
  expect(modelSource(undefined, env, login)).toEqual(key("sk-codex"));
  expect(modelSource(undefined, { OPENAI_API_KEY: "sk" }, login)).toEqual({ kind: "login" });
  expect(
    modelSource(undefined, { OPENAI_API_KEY: "sk", OPENAI_BASE_URL: baseUrl }, { hasLogin: false }),
  ).toEqual(key("sk", baseUrl));
  expect(() => modelSource(undefined, {}, { hasLogin: false })).toThrow(
    expect.objectContaining({ code: "not_signed_in" }),
  );
});

test.each(["anthropic", "openai-chat"] as const)(
  "rejects a model endpoint with the API %s",
  (api) => {
    expect(() => modelSource({ ...endpoint, api }, {}, { hasLogin: true })).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
  },
);

test.each([
  ["allow-all", false, "never", { sandbox: "danger-full-access" }],
  ["allow-edits", false, "untrusted", { sandbox: "danger-full-access" }],
  ["ask", false, "untrusted", { sandbox: "danger-full-access" }],
  ["deny", false, "untrusted", { permissions: "halyard-read-only" }],
  ["deny", true, "untrusted", { permissions: "halyard-read-only" }],
  ["ask", true, "never", { permissions: "halyard-read-only" }],
  ["allow-all", true, "never", { permissions: "halyard-read-only" }],
] as const)(
  "maps %s with plan %s to the approval policy %s with %o",
  (permissions, plan, approvalPolicy, access) => {
    expect(threadPolicy({ permissions, plan })).toEqual({ approvalPolicy, ...access });
  },
);

test("hides Halyard's directories from read-only commands, except those that contain the working directory", () => {
  const paths = { cwd: "/work", runDir: "/h/run/1", stateDir: "/h/sessions/1" };
  expect(profileSettings({ ...paths, protectedDirs: ["/h"] })).toEqual({
    default_permissions: "halyard-read-only",
    'permissions.halyard-read-only.filesystem.":root"': "read",
    'permissions.halyard-read-only.filesystem."/h"': "none",
    'permissions.halyard-read-only.filesystem."/h/sessions/1"': "read",
  });
  const below = profileSettings({ ...paths, cwd: "/h/worktrees/x", protectedDirs: ["/h"] });
  expect(below).not.toHaveProperty(['permissions.halyard-read-only.filesystem."/h"']);
  expect(below).toMatchObject({ 'permissions.halyard-read-only.filesystem."/h/run"': "none" });
});

test("passes the model, reasoning level, instructions and settings to a thread", () => {
  const mcp_servers = { calc: { command: "calc" } };
  const full: ConnectRequest = {
    ...request,
    model: { id: "gpt-5.5" },
    reasoning: "max",
    systemPrompt: "Be brief.",
    options: { config: { mcp_servers } },
  };
  expect(threadParams(full, "openai")).toEqual({
    cwd: "/workspace",
    modelProvider: "openai",
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
    model: "gpt-5.5",
    developerInstructions: "Be brief.",
    config: { model_reasoning_effort: "xhigh", mcp_servers },
  });
  const mcpServers = { web: { url: "http://127.0.0.1:1", headers: { A: "b" } } };
  const options = { config: { mcp_servers }, mcpServers };
  expect(threadParams({ ...request, options }, "openai").config).toEqual({
    mcp_servers: {
      ...mcp_servers,
      web: { url: "http://127.0.0.1:1", http_headers: { A: "b" } },
    },
  });
  expect(() => threadParams({ ...request, options: { config: 7 } }, "openai")).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
});

test("changes a thread's mode only if it differs from the session's mode", () => {
  const answer = { thread: { id: "t" }, model: "gpt-5.5" };
  const planning = { ...answer, collaborationMode: { mode: "plan" } };
  expect(modeChange(request, answer)).toBeUndefined();
  expect(modeChange({ ...request, plan: true }, planning)).toBeUndefined();
  expect(modeChange({ ...request, plan: true }, answer)).toMatchObject({
    collaborationMode: { mode: "plan", settings: { model: "gpt-5.5" } },
  });
  expect(modeChange(request, planning)).toMatchObject({ collaborationMode: { mode: "default" } });
});
