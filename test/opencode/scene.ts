import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type OpenCodeAdapterOptions, opencodeAdapter } from "../../src/adapters/opencode/index.ts";
import type { Session } from "../../src/contracts/halyard.ts";
import type { StreamEvent } from "../../src/schema/event.ts";
import type { StartRequest } from "../../src/schema/session/start-request.ts";
import { repliesIn } from "../../src/testing/replies.ts";
import { createScene as createRealScene, type Scene as RealScene } from "../real/scene.ts";

/** A user with OpenCode and a scripted model. */
export interface Scene extends RealScene {
  /** Starts a session and waits until it is ready. */
  start(request?: Partial<StartRequest>): Promise<Session>;
  /** Returns the names of the run directories of the OpenCode servers. */
  servers(): Promise<string[]>;
}

/** Opens a scene that closes when the test finishes. */
export async function openScene(options?: Partial<OpenCodeAdapterOptions>): Promise<Scene> {
  const scene = await createScene(options);
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

/** Opens a scene that the caller closes. */
export async function createScene(options: Partial<OpenCodeAdapterOptions> = {}): Promise<Scene> {
  const { env: extra, ...others } = options;
  const scene = await createRealScene((paths) => [opencodeAdapter({ ...paths, ...others })], extra);
  const { home, cwd, halyard, model } = scene;
  const given = { runtime: "opencode", cwd, permissions: "allow-all" } as const;
  return {
    ...scene,
    async start(request = {}) {
      const endpoint = model.endpoint("openai-chat");
      const session = await halyard.start({ ...given, model: endpoint, ...request });
      await session.ready();
      return session;
    },
    servers: () => serversIn(join(home, "halyard")),
  };
}

/** Returns the names of the run directories of the OpenCode servers in a home. */
export async function serversIn(home: string): Promise<string[]> {
  const names = await readdir(join(home, "run"));
  return names.filter((name) => name.startsWith("opencode-"));
}

/** Returns a tool call that runs a command. */
export const shell = (command: string) => ({
  name: "bash",
  input: { command, description: "run it" },
});

export async function untilDelta(events: AsyncIterable<StreamEvent>, count = 1): Promise<void> {
  let left = count;
  for await (const event of events) if (event.type === "delta" && --left === 0) return;
}

export function deltas(events: readonly StreamEvent[]): string {
  return events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("");
}

export function said(events: readonly StreamEvent[]): string[] {
  return repliesIn(events);
}

export function typesOf(
  events: readonly StreamEvent[],
  ...types: StreamEvent["type"][]
): StreamEvent["type"][] {
  return events.map(({ type }) => type).filter((type) => types.includes(type));
}
