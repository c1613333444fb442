import { mkdir, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type OpenCodeAdapterOptions, opencodeAdapter } from "../../src/adapters/opencode/index.ts";
import type { Halyard, Session } from "../../src/core/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { StartRequest } from "../../src/schema/session.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** Where the real program is. */
export const runtimesDir =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");

/** A user with OpenCode and a scripted model, for one test. */
export interface Scene {
  readonly home: string;
  readonly halyard: Halyard;
  readonly model: ScriptedModel;
  readonly cwd: string;
  /** A session that takes messages. */
  start(request?: Partial<StartRequest>): Promise<Session>;
  /** What runs, by the names of their run directories. */
  servers(): Promise<string[]>;
}

export async function openScene(options: Partial<OpenCodeAdapterOptions> = {}): Promise<Scene> {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home, ...options.env };
  const adapters = [opencodeAdapter({ runtimesDir, ...options, env })];
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model = await startScriptedModel();
  const cwd = join(home, "work");
  await mkdir(cwd);
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const given = { runtime: "opencode", cwd, permissions: "allow-all" } as const;
  return {
    home,
    halyard,
    model,
    cwd,
    async start(request = {}) {
      const endpoint = model.endpoint("openai-chat");
      const session = await halyard.start({ ...given, model: endpoint, ...request });
      await session.ready();
      return session;
    },
    servers: () => serversIn(join(home, "halyard")),
  };
}

/** The run directories of the servers that a Halyard's sessions are on. */
export async function serversIn(home: string): Promise<string[]> {
  const names = await readdir(join(home, "run"));
  return names.filter((name) => name.startsWith("opencode-"));
}

/** The model runs a command. */
export const shell = (command: string) => ({
  name: "bash",
  input: { command, description: "run it" },
});

export async function collect(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export async function untilDelta(events: AsyncIterable<StreamEvent>, count = 1): Promise<void> {
  let left = count;
  for await (const event of events) if (event.type === "delta" && --left === 0) return;
}

export function deltas(events: readonly StreamEvent[]): string {
  return events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("");
}

export function said(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => (event.type === "message" ? [event.text] : []));
}

export function typesOf(
  events: readonly StreamEvent[],
  ...types: StreamEvent["type"][]
): StreamEvent["type"][] {
  return events.map(({ type }) => type).filter((type) => types.includes(type));
}

export async function pidOf(session: Session): Promise<number> {
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && typeof event.data?.pid === "number") return event.data.pid;
  throw new Error("no pid");
}
