import { z } from "zod";
import { findRunning } from "../../adapter-kit/find-running.ts";
import { copyStateFiles } from "../../adapter-kit/records/state-files.ts";
import {
  listUserRecords,
  toTitle,
  type UserRecords,
} from "../../adapter-kit/records/user-records.ts";
import type { Adapter, ConnectRequest } from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import type { Environment } from "../../programs/environment.ts";
import { toCommand, userDir } from "./command.ts";
import { FakeConnection } from "./connection.ts";
import { createMapper } from "./events.ts";

/** Options for the fake runtime. */
export interface FakeAdapterOptions {
  /** The environment of this process, of which the agent receives the allow-listed variables. Defaults to none. */
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
      "native-sessions",
    ],
    inputs: ["stdin"],
    accountVariable: "FAKE_ACCOUNT",
    probe: async () => ({ available: true, version: process.version }),
    models: async () => [{ id: "fake-large", isDefault: true }, { id: "fake-small" }],
    nativeSessions: (request) => listUserRecords(userRecords({ ...env, ...request.env }), request),
    connect: async (request) => new FakeConnection(await open(request, env), request),
    createMapper,
    conversation: copyStateFiles({
      directory: ".",
      isRecord: (path, id) => path === `${encodeURIComponent(id)}.json`,
    }),
  };
}

/** Describes where the fake agent stores the sessions of a user, and how to read them: one file of one line each. */
function userRecords(env: Environment): UserRecords {
  return {
    root: userDir(env),
    depth: 0,
    idOf: (name) => (name.endsWith(".json") ? decodeURIComponent(name.slice(0, -5)) : undefined),
    describe([record]) {
      const { cwd, prompts: [first] = [] } = FakeRecord.safeParse(record).data ?? {};
      const title = toTitle(first);
      return title === undefined ? undefined : { title, ...(cwd !== undefined && { cwd }) };
    },
  };
}

const FakeRecord = z.looseObject({
  cwd: z.string().optional(),
  prompts: z.array(z.string()),
});

async function open(request: ConnectRequest, env: Environment): Promise<HostProcess> {
  if (request.attach) return findRunning(request, "the fake agent");
  return request.host.spawn(toCommand(request, env), { runDir: request.runDir });
}
