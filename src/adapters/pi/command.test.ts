import { expect, test } from "vitest";
import { createLocalHost } from "../../hosts/local/index.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { hiddenVariables, toCommand } from "./command.ts";
import { rpcFilesOf } from "./rpc/files.ts";

const request = sampleRequest({ host: createLocalHost(), env: { FRUIT: "banana" } });
const env = { PATH: "/bin", ANTHROPIC_API_KEY: "anthropic-key", SECRET: "s" };
const common = {
  pi: { program: "/pi/cli.js", node: "/usr/bin/node" },
  files: rpcFilesOf({ ...request, runDir: "/run" }),
  sessionFile: undefined,
  env,
};

test("passes an endpoint's key only in the environment, and loads none of the user's files", () => {
  const endpoint = { id: "m", baseUrl: "http://x", api: "anthropic", apiKey: "the-key" } as const;
  const source = { kind: "endpoint", endpoint } as const;
  const command = toCommand({ ...request, reasoning: "max" }, { ...common, source });
  expect(command).toEqual({
    file: "/usr/bin/node",
    args: [
      ...["/pi/cli.js", "--mode", "rpc", "--offline", "--session-dir", "/state/pi"],
      ...["--extension", "/run/pi/halyard.js", "--no-themes"],
      ...["--no-extensions", "--no-skills", "--no-prompt-templates"],
      ...["--provider", "halyard", "--model", "m", "--thinking", "xhigh"],
    ],
    cwd: "/workspace",
    env: {
      PATH: "/bin",
      FRUIT: "banana",
      HALYARD_PI_API_KEY: "the-key",
      $HALYARD_PI_API_KEY: "the-key",
      PI_CODING_AGENT_DIR: "/run/pi",
      PI_OFFLINE: "1",
    },
  });
  expect(hiddenVariables(request, { source, env })).toContain("HALYARD_PI_API_KEY");
});

test("passes provider keys with the user's own login, and hides them from commands", () => {
  const source = { kind: "own", id: "anthropic/m" } as const;
  const own = { ...common, source, sessionFile: "/state/pi/s.jsonl" };
  const command = toCommand({ ...request, trusted: true }, own);
  expect(toCommand(request, own).args, "untrusted").toContain("--no-extensions");
  expect(command.args.slice(9)).toEqual([
    ...["--session", "/state/pi/s.jsonl", "--model", "anthropic/m"],
  ]);
  expect(command.env).toMatchObject({ ANTHROPIC_API_KEY: "anthropic-key" });
  expect(command.env).not.toHaveProperty("SECRET");
  expect(hiddenVariables(request, { source, env })).toContain("ANTHROPIC_API_KEY");
});

test("does not hide the request's variables from commands", () => {
  const source = { kind: "own" } as const;
  const given = { ...request, env: { ANTHROPIC_API_KEY: "mine" } };
  expect(hiddenVariables(given, { source, env })).not.toContain("ANTHROPIC_API_KEY");
});

test("passes a vendor's key in the vendor's own variable", () => {
  const source = { kind: "vendor", provider: "openai", apiKey: "k", id: "m" } as const;
  const tools = { enabled: ["read", "ls", "bash"], disabled: ["bash"] };
  const command = toCommand({ ...request, tools }, { ...common, source });
  expect(command.args.slice(-6)).toEqual([
    "--provider",
    "openai",
    "--model",
    "m",
    "--tools",
    "read,ls",
  ]);
  expect(command.env).toMatchObject({ OPENAI_API_KEY: "k" });
  expect(command.env).not.toHaveProperty("ANTHROPIC_API_KEY");
});
