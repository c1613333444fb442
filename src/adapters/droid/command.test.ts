import { mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createLocalHost } from "../../hosts/local/index.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { type CommandParts, hiddenVariables, toCommand } from "./command.ts";
import { writeHome } from "./files/home.ts";
import { selectedFields } from "./files/listed-models.ts";
import { readUserSettings } from "./files/user-files.ts";
import { droidAdapter } from "./index.ts";
import { effortOf, modelId, modelSource } from "./model.ts";

const request = sampleRequest({ host: createLocalHost(), env: { FRUIT: "banana" } });

const endpoint: ModelEndpoint = {
  id: "m",
  baseUrl: "http://127.0.0.1:1/v1",
  api: "openai-chat",
  apiKey: "sk-secret",
};

const source = (model: ModelEndpoint | undefined, env = {}, hasOwnModels = false) =>
  modelSource(model, { env, hasOwnModels });

const parts: CommandParts = {
  file: "/bin/droid",
  source: source(endpoint),
  env: { PATH: "/bin", FACTORY_API_KEY: "fk", OTHER_KEY: "other", MODEL_KEY: "mk" },
  variables: ["MODEL_KEY"],
};
const account: CommandParts = { ...parts, source: source(undefined, { FACTORY_API_KEY: "fk" }) };

describe("command line", () => {
  const stream = ["exec", "--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];

  test.each([
    [{}, []],
    [{ permissions: "allow-all" }, ["--skip-permissions-unsafe"]],
    [{ permissions: "allow-all", plan: true }, ["--use-spec"]],
    [{ systemPrompt: "Be brief." }, ["--append-system-prompt-file", "/run/droid-instructions.md"]],
  ] as const)(
    "communicates over JSON-RPC in both directions and adds the flags for %j",
    (fields, args) => {
      const command = toCommand({ ...request, ...fields }, parts);
      expect(command).toMatchObject({ file: "/bin/droid", cwd: "/workspace" });
      expect(command.args).toEqual([...stream, "--cwd", "/workspace", ...args]);
    },
  );

  test("passes the session id with -s only for a Factory account [s0.droid.continue-flag] [s0.droid.continuation]", () => {
    const resumed = { ...request, resume: "some-id" };
    expect(toCommand(resumed, account).args.slice(-2)).toEqual(["-s", "some-id"]);
    expect(toCommand(resumed, parts).args).not.toContain("-s");
  });
});

describe("environment", () => {
  test("contains no key except the endpoint's, and disables access to Factory", () => {
    const { env } = toCommand(request, parts);
    expect(env).toEqual({
      PATH: "/bin",
      FRUIT: "banana",
      HALYARD_DROID_API_KEY: "sk-secret",
      FACTORY_HOME_OVERRIDE: "/state/droid",
      FACTORY_API_BASE_URL: "http://127.0.0.1:9",
      FACTORY_TELEMETRY_INGEST_BASE_URL: "http://127.0.0.1:9",
      OTEL_CUSTOMER_ENDPOINT: "http://127.0.0.1:9",
      OTEL_SDK_DISABLED: "true",
      FACTORY_DROID_AUTO_UPDATE_ENABLED: "false",
      BASH_ENV: "/run/droid-shell.sh",
    });
  });

  test("contains a Factory account's key and the variables that the user's settings reference", () => {
    expect(toCommand(request, account).env).toMatchObject({
      FACTORY_API_KEY: "fk",
      MODEL_KEY: "mk",
      FACTORY_TELEMETRY_INGEST_BASE_URL: "http://127.0.0.1:9",
    });
    const own = {
      ...account,
      env: { ...account.env, FACTORY_TELEMETRY_INGEST_BASE_URL: "http://x" },
    };
    expect(toCommand(request, own).env.FACTORY_TELEMETRY_INGEST_BASE_URL).toBe("http://x");
  });

  test("hides Droid's variables from commands, except variables that the session sets", () => {
    expect(hiddenVariables(request, parts)).toEqual(
      expect.arrayContaining(["HALYARD_DROID_API_KEY", "FACTORY_HOME_OVERRIDE", "BASH_ENV"]),
    );
    const given = { ...request, env: { FACTORY_API_KEY: "fk" } };
    expect(hiddenVariables(given, account)).not.toContain("FACTORY_API_KEY");
  });
});

describe("model source", () => {
  test("is the endpoint if one is set, then the account, then a model in the user's settings", () => {
    expect(source(endpoint, { FACTORY_API_KEY: "fk" }).kind).toBe("endpoint");
    expect(source({ id: "m" }, { FACTORY_API_KEY: "fk" })).toEqual({
      kind: "account",
      key: "fk",
      id: "m",
    });
    expect(source({ id: "custom:m" }, {}, true)).toEqual({ kind: "own", id: "custom:m" });
  });

  test("falls back to the vendor's URL if only the API and a key are set", () => {
    expect(source({ id: "m", api: "anthropic", apiKey: "sk" })).toMatchObject({
      endpoint: { baseUrl: "https://api.anthropic.com", apiKey: "sk" },
    });
  });

  test("prefers the session's key to the key in the environment", () => {
    const env = { FACTORY_API_KEY: "fk-env" };
    const given = { factoryApiKey: "fk-given", env, hasOwnModels: false };
    expect(modelSource(undefined, given)).toMatchObject({ key: "fk-given" });
  });

  test.each([
    [undefined, "not_signed_in"],
    [{ id: "custom:m" }, "not_signed_in"],
    [{ baseUrl: "http://127.0.0.1:1/v1" }, "invalid_input"],
  ])("rejects the model %j with the error %s", (model, code) => {
    expect(() => source(model)).toThrow(expect.objectContaining({ code }));
  });

  test("maps an endpoint's model to a custom id, and disables reasoning unless the request sets a level", () => {
    expect(modelId(source(endpoint))).toBe("custom:m");
    expect(effortOf(source(endpoint), undefined)).toBe("none");
    expect(effortOf(source(endpoint), "high")).toBe("high");
    expect(effortOf(account.source, undefined)).toBeUndefined();
  });
});

test("rejects a session without a key before it starts a process [s0.runtime.missing-credentials]", async () => {
  const root = await temporaryDirectory();
  const adapter = droidAdapter({ env: { HOME: root }, runtimesDir: root });
  await expect(adapter.connect(request)).rejects.toMatchObject({
    code: "not_signed_in",
    message: expect.stringContaining("FACTORY_API_KEY"),
  });
  expect(await adapter.isSignedIn?.()).toBe(false);
});

test("names only credentials that a session accepts in the sign-in hint", async () => {
  const home = await temporaryDirectory();
  const adapter = droidAdapter({ env: { HOME: home }, runtimesDir: home });
  await expect(adapter.connect(request)).rejects.toMatchObject({ code: "not_signed_in" });
  expect(adapter.signIn).toBe("set FACTORY_API_KEY, or set a model endpoint");
});

describe("session home", () => {
  const none = {
    hasModels: false,
    models: [],
    setsSync: false,
    variables: [],
    directory: "/nowhere",
  };

  test("contains the endpoint and the name of the variable with its key [s2.d6.droid-models]", async () => {
    const home = await temporaryDirectory();
    await writeHome(home, { source: parts.source, effort: "low", user: none });
    const settings = await readFile(join(home, ".factory", "settings.json"), "utf8");
    expect(JSON.parse(settings)).toEqual({
      cloudSessionSync: false,
      commandDenylist: expect.arrayContaining(["ls", "git status"]),
      customModels: [
        {
          model: "m",
          displayName: "m",
          baseUrl: "http://127.0.0.1:1/v1",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Droid's syntax for a variable
          apiKey: "${HALYARD_DROID_API_KEY}",
          provider: "generic-chat-completion-api",
          noImageSupport: false,
          reasoningEffort: "low",
        },
      ],
    });
  });

  test("contains the display name and the output limit of the session's model", async () => {
    const home = await temporaryDirectory();
    const { source } = parts;
    const listed = [
      { ...endpoint, id: "other" },
      { ...endpoint, displayName: "Fast", maxOutputTokens: 4_000 },
    ];
    const fields = selectedFields(listed, source);
    await writeHome(home, { source, effort: undefined, user: none, listed: fields });
    const settings = await readFile(join(home, ".factory", "settings.json"), "utf8");
    expect(JSON.parse(settings).customModels).toMatchObject([
      { model: "m", displayName: "Fast", maxOutputTokens: 4_000 },
    ]);
  });

  test("links the user's files and disables cloud sync unless the user sets it", async () => {
    const root = await temporaryDirectory();
    const directory = join(root, ".factory");
    await mkdir(join(directory, "droids"), { recursive: true });
    await writeFile(join(directory, "droids", "reviewer.md"), "Review.");
    const settings = join(directory, "settings.json");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Droid's syntax for a variable
    await writeFile(settings, '{ "customModels": [{ "apiKey": "${MODEL_KEY}" }] } // mine');
    const user = await readUserSettings(directory);
    expect(user).toEqual({
      hasModels: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Droid's syntax for a variable
      models: [{ apiKey: "${MODEL_KEY}" }],
      setsSync: false,
      variables: ["MODEL_KEY"],
    });

    const home = await temporaryDirectory();
    const factory = join(home, ".factory");
    for (const _ of ["started", "resumed"])
      await writeHome(home, {
        source: account.source,
        effort: undefined,
        user: { ...user, directory },
      });
    expect(await readlink(join(factory, "settings.json"))).toBe(settings);
    expect(await readFile(join(factory, "droids", "reviewer.md"), "utf8")).toBe("Review.");
    const local = () => readFile(join(factory, "settings.local.json"), "utf8").then(JSON.parse);
    const commandDenylist = expect.arrayContaining(["ls", "git status"]);
    expect(await local()).toEqual({ cloudSessionSync: false, commandDenylist });
    const others = [{ model: "ours" }];
    const both = {
      source: account.source,
      effort: undefined,
      user: { ...user, directory },
      others,
    };
    await writeHome(home, both);
    expect(await local(), "Droid reads one list").toMatchObject({
      customModels: [{ model: "ours" }, ...user.models],
    });

    await writeFile(settings, '{ "cloudSessionSync": true }');
    const insisting = { ...(await readUserSettings(directory)), directory };
    await writeHome(home, { source: account.source, effort: undefined, user: insisting });
    expect(await local()).toEqual({ commandDenylist });
    await writeHome(home, { source: parts.source, effort: undefined, user: insisting });
    expect(await readFile(settings, "utf8"), "the user's own").toBe('{ "cloudSessionSync": true }');
  });
});

describe("program search", () => {
  const platform = `cli-${process.platform}-${process.arch}`;

  async function install(modules: string, version: string): Promise<string> {
    const root = join(modules, "@factory", platform);
    await mkdir(join(root, "bin"), { recursive: true });
    const manifest = { name: `@factory/${platform}`, version };
    await writeFile(join(root, "package.json"), JSON.stringify(manifest));
    const file = join(root, "bin", "droid");
    await writeFile(file, "", { mode: 0o755 });
    return file;
  }

  test.skipIf(process.platform === "win32")(
    "resolves npm's script if the version is supported, and otherwise uses the program that Halyard installed",
    async () => {
      const root = await temporaryDirectory();
      const modules = join(root, "lib", "node_modules");
      const script = join(modules, "droid", "bin", "droid");
      await mkdir(join(script, ".."), { recursive: true });
      await writeFile(script, "", { mode: 0o755 });
      await mkdir(join(root, "bin"));
      await symlink(script, join(root, "bin", "droid"));
      const runtimesDir = join(root, "runtimes");
      const adapter = droidAdapter({ env: { PATH: join(root, "bin") }, runtimesDir });

      const own = await install(modules, "0.225.2");
      expect(await adapter.probe()).toEqual({ available: true, program: own, version: "0.225.2" });
      await install(modules, "0.99.0");
      expect(await adapter.probe()).toMatchObject({
        available: false,
        reason: expect.stringContaining("0.99.0"),
        hint: 'run "halyard runtime install droid"',
      });
      const ours = await install(join(runtimesDir, "droid", "node_modules"), "0.215.0");
      expect(await adapter.probe()).toMatchObject({ available: true, program: ours });
    },
  );
});
