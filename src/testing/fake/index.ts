import { findRunning } from "../../adapter-kit/find-running.ts";
import { copyStateFiles } from "../../adapter-kit/state-files.ts";
import type { Adapter, ConnectRequest } from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import type { Environment } from "../../programs/environment.ts";
import { toCommand } from "./command.ts";
import { FakeConnection } from "./connection.ts";
import { createMapper } from "./events.ts";

/** Options for the fake runtime. */
export interface FakeAdapterOptions {
  /** The environment of this process. The agent receives the allow-listed variables and the session's own. */
  readonly env?: Environment | undefined;
}

/**
 * Creates a runtime for tests: a real program that executes its prompt as a script, including faults. The `startup`
 * option is a script that runs before the first message.
 */
export function fakeAdapter({ env = {} }: FakeAdapterOptions = {}): Adapter {
  return {
    name: "fake",
    displayName: "Fake agent",
    capabilities: [
      "deltas",
      "reasoning",
      "tools",
      "usage",
      "cancel",
      "steer",
      "permissions",
      "questions",
      "plan",
      "resume",
      "attach",
      "settings",
      "images",
      "fork",
      "compact",
      "commands",
      "models",
    ],
    inputs: ["stdin"],
    accountVariable: "FAKE_ACCOUNT",
    probe: async () => ({ available: true, version: process.version }),
    models: async () => [{ id: "fake-large", isDefault: true }, { id: "fake-small" }],
    connect: async (request) => new FakeConnection(await open(request, env), request),
    createMapper,
    conversation: copyStateFiles({
      directory: ".",
      isRecord: (path, id) => path === `${encodeURIComponent(id)}.json`,
    }),
  };
}

async function open(request: ConnectRequest, env: Environment): Promise<HostProcess> {
  if (request.attach) return findRunning(request, "the fake agent");
  return request.host.spawn(toCommand(request, env), { runDir: request.runDir });
}
