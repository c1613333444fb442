import { describe, expect, test } from "vitest";
import type { ConnectRequest } from "../../core/adapter.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { toCommand } from "./command.ts";
import { hiddenVariables } from "./environment.ts";
import { modelSource } from "./model.ts";
import { withAskedCommands } from "./policy.ts";
import { runFilesIn } from "./run-files.ts";
import { sessionSettings } from "./settings.ts";

const KEY = "sk-given-key";
const endpoint = { id: "m", baseUrl: "http://127.0.0.1:1", apiKey: KEY };
const ours = { PATH: "/bin", HOME: "/home/user", ANTHROPIC_API_KEY: "sk-own-key", OTHER_KEY: "x" };

function partsOf(model: ConnectRequest["model"], isRoot = false) {
  const files = runFilesIn("/run/session");
  return {
    file: "/bin/claude",
    sessionId: "1",
    source: modelSource(model),
    files,
    env: ours,
    isRoot,
  };
}

function requestWith(given: Partial<ConnectRequest>): ConnectRequest {
  return sampleRequest({ host: createLocalHost(), runDir: "/run/session", ...given });
}

function commandFor(given: Partial<ConnectRequest>, isRoot = false) {
  return toCommand(requestWith(given), partsOf(given.model, isRoot));
}

/** What follows a flag. */
function after(args: readonly string[], flag: string): string | undefined {
  return args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
}

describe("the command line", () => {
  test.each([
    [{ permissions: "allow-all" }, "bypassPermissions"],
    [{ permissions: "allow-edits" }, "default"],
    [{ permissions: "ask" }, "default"],
    [{ permissions: "deny" }, "default"],
    [{ permissions: "allow-all", plan: true }, "plan"],
  ] as const)("turns %j into the mode %s", (given, mode) => {
    expect(after(commandFor(given).args, "--permission-mode")).toBe(mode);
  });

  test("has it talk on its standard streams, without a screen [s1.claude.launch-minimal]", () => {
    const { file, args, cwd } = commandFor({});
    expect({ file, cwd }).toEqual({ file: "/bin/claude", cwd: "/workspace" });
    expect(args).toContain("-p");
    for (const flag of ["--input-format", "--output-format"])
      expect(after(args, flag)).toBe("stream-json");
  });

  test("names the file of the session's MCP servers, and none where there are none", () => {
    expect(after(commandFor({}).args, "--mcp-config")).toBeUndefined();
    const options = { mcpServers: { calc: { command: "/bin/calc" } } };
    const { args } = commandFor({ options });
    expect(after(args, "--mcp-config")).toBe("/run/session/claude-mcp.json");
  });

  test("names a new session and resumes an old one", () => {
    expect(after(commandFor({}).args, "--session-id")).toBe("1");
    const { args } = commandFor({ resume: "2" });
    expect([after(args, "--resume"), after(args, "--session-id")]).toEqual(["2", undefined]);
  });

  test.each([
    ["off", undefined, "1"],
    ["minimal", "low", undefined],
    ["max", "max", undefined],
  ] as const)("has it think %s", (reasoning, effort, disabled) => {
    const { args, env } = commandFor({ reasoning });
    expect(after(args, "--effort")).toBe(effort);
    expect(env.CLAUDE_CODE_DISABLE_THINKING).toBe(disabled);
  });

  test("has Claude enter plan mode only where the session is to plan", () => {
    expect(after(commandFor({}).args, "--disallowedTools")).toBe("EnterPlanMode");
    expect(commandFor({ plan: true }).args).not.toContain("--disallowedTools");
  });

  test("offers only some tools, or all but some", () => {
    const { args } = commandFor({ tools: { enabled: ["Bash", "Read"], disabled: ["Edit"] } });
    expect(after(args, "--tools")).toBe("Bash,Read");
    expect(after(args, "--disallowedTools")).toBe("EnterPlanMode,Edit");
  });

  test("never has a key in it", () => {
    expect(commandFor({ model: endpoint }).args.join(" ")).not.toContain(KEY);
  });
});

describe("the environment", () => {
  test("has Claude's name for a session of Gas Town's beside the canonical one [s1.claude.session-id]", () => {
    const { env } = commandFor({ env: { GT_SESSION_ID: "ses_1" } });
    expect(env).toMatchObject({
      GT_SESSION_ID: "ses_1",
      CLAUDE_SESSION_ID: "1",
      GT_SESSION_ID_ENV: "CLAUDE_SESSION_ID",
    });
    expect(commandFor({}).env).not.toHaveProperty("CLAUDE_SESSION_ID");
  });

  test("has the user's own key where no other was given, and nothing that was not asked for", () => {
    const { env } = commandFor({ model: { id: "opus" } });
    expect(env).toMatchObject({
      PATH: "/bin",
      HOME: "/home/user",
      ANTHROPIC_API_KEY: "sk-own-key",
    });
    expect(env).not.toHaveProperty("OTHER_KEY");
    expect(env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
  });

  test("has an endpoint's key alone, and a place of its own for what Claude writes", () => {
    expect(commandFor({ model: endpoint }).env).toMatchObject({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "m",
      CLAUDE_CONFIG_DIR: "/state/claude",
    });
  });

  test("asks for no key where the endpoint has none", () => {
    const { env } = commandFor({ model: { baseUrl: "http://127.0.0.1:1" } });
    expect(env.ANTHROPIC_API_KEY).toBe("none");
  });

  test("calls the machine a sandbox only for root, who may not go without permissions otherwise", () => {
    const sandbox = (permissions: ConnectRequest["permissions"], isRoot: boolean) =>
      commandFor({ permissions }, isRoot).env.IS_SANDBOX;
    expect(sandbox("allow-all", true)).toBe("1");
    expect([sandbox("ask", true), sandbox("allow-all", false)]).toEqual([undefined, undefined]);
  });

  test("lets the session have its way", () => {
    expect(commandFor({ env: { CLAUDE_CODE_MAX_RETRIES: "5" } }).env.CLAUDE_CODE_MAX_RETRIES).toBe(
      "5",
    );
  });

  test("hides from commands what is Claude's own, but not what the session was given by name", () => {
    const hidden = (given: Partial<ConnectRequest>) =>
      hiddenVariables(requestWith(given), partsOf(given.model));
    expect(hidden({})).toEqual(expect.arrayContaining(["ANTHROPIC_API_KEY", "CLAUDE_ENV_FILE"]));
    expect(hidden({})).not.toContain("HOME");
    expect(hidden({ model: endpoint })).toContain("ANTHROPIC_API_KEY");
    expect(hidden({ env: { ANTHROPIC_API_KEY: "sk-both" } })).not.toContain("ANTHROPIC_API_KEY");
  });
});

describe("the settings of a session", () => {
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const files = { end: "/it's/end" };

  test("are those that were given, and no more than Halyard needs beside them", () => {
    const ours = { hooks: [{ type: "command", command: "cat >&2" }] };
    const settings = (permissions: "ask" | "allow-all", plan = false) =>
      withAskedCommands(sessionSettings(modelSource(undefined), { settings: { hooks } }, files), {
        permissions,
        plan,
      });
    const atEnd = { hooks: [{ type: "command", command: "cat > '/it'\\''s/end'" }] };
    const always = {
      useAutoModeDuringPlan: false,
      hooks: { ...hooks, SessionStart: [ours], SessionEnd: [atEnd] },
    };
    const asking = { permissions: { ask: ["Bash", "PowerShell", "Monitor"] } };
    expect(settings("ask")).toEqual({ ...always, ...asking });
    expect(settings("allow-all", true)).toEqual({ ...always, ...asking });
    expect(settings("allow-all")).toEqual(always);
  });

  test("keep a project from sending the key elsewhere", () => {
    const given = { settings: { env: { A: "1" } } };
    const { env } = sessionSettings(modelSource(endpoint), given, files);
    const elsewhere = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", ANTHROPIC_AUTH_TOKEN: "" };
    expect(env).toEqual({ A: "1", ...elsewhere });
  });
});

test("a model that speaks another protocol is refused", () => {
  expect(() => modelSource({ ...endpoint, api: "openai-chat" })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
});
