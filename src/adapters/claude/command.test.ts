import { describe, expect, test } from "vitest";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { toCommand } from "./command.ts";
import { modelSource } from "./model.ts";
import { withCommandPermission } from "./policy.ts";
import { hiddenVariables } from "./settings/environment.ts";
import { runFilesIn } from "./settings/run-files.ts";
import { sessionSettings } from "./settings/settings.ts";

const KEY = "sk-given-key";
const endpoint = { id: "m", baseUrl: "http://127.0.0.1:1", apiKey: KEY };
const environment = {
  PATH: "/bin",
  HOME: "/home/user",
  ANTHROPIC_API_KEY: "sk-own-key",
  OTHER_KEY: "x",
};

function partsOf(model: ConnectRequest["model"], isRoot = false) {
  const files = runFilesIn("/run/session");
  return {
    file: "/bin/claude",
    sessionId: "1",
    source: modelSource(model),
    files,
    env: environment,
    isRoot,
  };
}

function requestWith(given: Partial<ConnectRequest>): ConnectRequest {
  return sampleRequest({ host: createLocalHost(), runDir: "/run/session", ...given });
}

function commandFor(given: Partial<ConnectRequest>, isRoot = false) {
  return toCommand(requestWith(given), partsOf(given.model, isRoot));
}

/** Returns the argument after a flag, or undefined if the flag is absent. */
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
  ] as const)("maps %j to the permission mode %s", (given, mode) => {
    expect(after(commandFor(given).args, "--permission-mode")).toBe(mode);
  });

  test("communicates over stdin and stdout instead of a screen [s1.claude.launch-minimal]", () => {
    const { file, args, cwd } = commandFor({});
    expect({ file, cwd }).toEqual({ file: "/bin/claude", cwd: "/workspace" });
    expect(args).toContain("-p");
    for (const flag of ["--input-format", "--output-format"])
      expect(after(args, flag)).toBe("stream-json");
  });

  test("passes the session's MCP server file, if there is one", () => {
    expect(after(commandFor({}).args, "--mcp-config")).toBeUndefined();
    const options = { mcpServers: { calc: { command: "/bin/calc" } } };
    const { args } = commandFor({ options });
    expect(after(args, "--mcp-config")).toBe("/run/session/claude-mcp.json");
  });

  test("passes the new session's id, or the id of the session to resume", () => {
    expect(after(commandFor({}).args, "--session-id")).toBe("1");
    const { args } = commandFor({ resume: "2" });
    expect([after(args, "--resume"), after(args, "--session-id")]).toEqual(["2", undefined]);
  });

  test.each([
    ["off", undefined, "1"],
    ["minimal", "low", undefined],
    ["max", "max", undefined],
  ] as const)(
    "maps the reasoning level %s to an effort level, or disables thinking",
    (reasoning, effort, disabled) => {
      const { args, env } = commandFor({ reasoning });
      expect(after(args, "--effort")).toBe(effort);
      expect(env.CLAUDE_CODE_DISABLE_THINKING).toBe(disabled);
    },
  );

  test("disables the EnterPlanMode tool unless the session starts in plan mode", () => {
    expect(after(commandFor({}).args, "--disallowedTools")).toBe("EnterPlanMode");
    expect(commandFor({ plan: true }).args).not.toContain("--disallowedTools");
  });

  test("enables and disables tools by name", () => {
    const { args } = commandFor({ tools: { enabled: ["Bash", "Read"], disabled: ["Edit"] } });
    expect(after(args, "--tools")).toBe("Bash,Read");
    expect(after(args, "--disallowedTools")).toBe("EnterPlanMode,Edit");
  });

  test("does not contain the endpoint's key", () => {
    expect(commandFor({ model: endpoint }).args.join(" ")).not.toContain(KEY);
  });
});

describe("the environment", () => {
  test("contains Claude's session id in addition to Halyard's id in a Gas Town session [s1.claude.session-id]", () => {
    const { env } = commandFor({ env: { GT_SESSION_ID: "ses_1" } });
    expect(env).toMatchObject({
      GT_SESSION_ID: "ses_1",
      CLAUDE_SESSION_ID: "1",
      GT_SESSION_ID_ENV: "CLAUDE_SESSION_ID",
    });
    expect(commandFor({}).env).not.toHaveProperty("CLAUDE_SESSION_ID");
  });

  test("contains the user's key if the request has none, but no other keys", () => {
    const { env } = commandFor({ model: { id: "opus" } });
    expect(env).toMatchObject({
      PATH: "/bin",
      HOME: "/home/user",
      ANTHROPIC_API_KEY: "sk-own-key",
    });
    expect(env).not.toHaveProperty("OTHER_KEY");
    expect(env).not.toHaveProperty("CLAUDE_CONFIG_DIR");
  });

  test("contains the endpoint's key instead of the user's, and the session's own configuration directory", () => {
    expect(commandFor({ model: endpoint }).env).toMatchObject({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "m",
      CLAUDE_CONFIG_DIR: "/state/claude",
    });
  });

  test("contains a placeholder key if the endpoint has none", () => {
    const { env } = commandFor({ model: { baseUrl: "http://127.0.0.1:1" } });
    expect(env.ANTHROPIC_API_KEY).toBe("none");
  });

  test("sets IS_SANDBOX only if root bypasses permissions", () => {
    const sandbox = (permissions: ConnectRequest["permissions"], isRoot: boolean) =>
      commandFor({ permissions }, isRoot).env.IS_SANDBOX;
    expect(sandbox("allow-all", true)).toBe("1");
    expect([sandbox("ask", true), sandbox("allow-all", false)]).toEqual([undefined, undefined]);
  });

  test("prefers the request's variables to Halyard's", () => {
    expect(commandFor({ env: { CLAUDE_CODE_MAX_RETRIES: "5" } }).env.CLAUDE_CODE_MAX_RETRIES).toBe(
      "5",
    );
  });

  test("hides Claude's own variables from commands, but not the request's variables", () => {
    const hidden = (given: Partial<ConnectRequest>) =>
      hiddenVariables(requestWith(given), partsOf(given.model));
    expect(hidden({})).toEqual(expect.arrayContaining(["ANTHROPIC_API_KEY", "CLAUDE_ENV_FILE"]));
    expect(hidden({})).not.toContain("HOME");
    expect(hidden({ model: endpoint })).toContain("ANTHROPIC_API_KEY");
    expect(hidden({ env: { ANTHROPIC_API_KEY: "sk-both" } })).not.toContain("ANTHROPIC_API_KEY");
  });
});

describe("the session's settings", () => {
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const files = { end: "/it's/end" };

  test("combine the given settings with the settings that Halyard needs", () => {
    const atStart = { hooks: [{ type: "command", command: "cat >&2" }] };
    const settings = (permissions: "ask" | "allow-all", plan = false) =>
      withCommandPermission(
        sessionSettings(modelSource(undefined), { settings: { hooks } }, files),
        {
          permissions,
          plan,
        },
      );
    const atEnd = { hooks: [{ type: "command", command: "cat > '/it'\\''s/end'" }] };
    const always = {
      useAutoModeDuringPlan: false,
      hooks: { ...hooks, SessionStart: [atStart], SessionEnd: [atEnd] },
    };
    const asking = { permissions: { ask: ["Bash", "PowerShell", "Monitor"] } };
    expect(settings("ask")).toEqual({ ...always, ...asking });
    expect(settings("allow-all", true)).toEqual({ ...always, ...asking });
    expect(settings("allow-all")).toEqual(always);
  });

  test("override a project's endpoint, so that the key is not sent to it", () => {
    const given = { settings: { env: { A: "1" } } };
    const { env } = sessionSettings(modelSource(endpoint), given, files);
    const elsewhere = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", ANTHROPIC_AUTH_TOKEN: "" };
    expect(env).toEqual({ A: "1", ...elsewhere });
  });
});

test("rejects a model endpoint whose protocol is not `anthropic`", () => {
  expect(() => modelSource({ ...endpoint, api: "openai-chat" })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
});
