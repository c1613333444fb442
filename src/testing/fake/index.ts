import type { Adapter, ConnectRequest } from "../../core/adapter.ts";
import type { Environment } from "../../core/environment.ts";
import { findRunning } from "../../core/find-running.ts";
import type { HostProcess } from "../../core/host.ts";
import { toCommand } from "./command.ts";
import { FakeConnection } from "./connection.ts";
import { createMapper } from "./events.ts";

/** What the fake runtime is made with. */
export interface FakeAdapterOptions {
  /** Ours, of which the agent gets what it may; the session's own is added to it. */
  readonly env?: Environment | undefined;
}

/**
 * A runtime for tests: a real program that does, and fails to do, whatever its prompt says. A session's option
 * `startup` is a script that it runs before it takes messages.
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
    ],
    inputs: ["stdin"],
    accountVariable: "FAKE_ACCOUNT",
    probe: async () => ({ available: true, version: process.version }),
    connect: async (request) => new FakeConnection(await open(request, env), request),
    createMapper,
  };
}

async function open(request: ConnectRequest, env: Environment): Promise<HostProcess> {
  if (request.attach) return findRunning(request, "the fake agent");
  return request.host.spawn(toCommand(request, env), { runDir: request.runDir });
}
