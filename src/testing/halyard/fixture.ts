import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import { isReply } from "../replies.ts";

/** A Halyard instance with the fake runtime and a working directory. */
export interface HalyardFixture extends AsyncDisposable {
  readonly halyard: Halyard;
  readonly cwd: string;
  /** Opens another instance with the same sessions. It is disposed with the fixture. */
  again(): Promise<Halyard>;
}

/** Creates a fixture for one test. */
export type OpenFixture = () => Promise<HalyardFixture>;

/**
 * Creates a fixture in its own directory. `open` opens a Halyard instance with the sessions of a home; `count` is the
 * number of instances that the fixture has opened before.
 */
export async function newFixture(
  open: (home: string, count: number) => Promise<Halyard>,
): Promise<HalyardFixture> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const opened: Halyard[] = [];
  const again = async () => {
    const halyard = await open(join(directory, "home"), opened.length);
    opened.push(halyard);
    return halyard;
  };
  return {
    halyard: await again(),
    cwd,
    again,
    async [Symbol.asyncDispose]() {
      for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts a session on the fake runtime with the policy `allow-all`, and waits until it is ready. */
export async function startFake(
  fixture: HalyardFixture,
  request: Partial<StartRequest> = {},
): Promise<Session> {
  const session = await startUnready(fixture, request);
  await session.ready();
  return session;
}

/** Starts a session on the fake runtime with the policy `allow-all`, without waiting until it is ready. */
export function startUnready(
  { halyard, cwd }: HalyardFixture,
  request: Partial<StartRequest> = {},
): Promise<Session> {
  return halyard.start({
    runtime: "fake",
    cwd,
    permissions: "allow-all",
    ...request,
  });
}

/** Returns all events of a stream. */
export async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/** Returns a short form of a turn's events, without status events: `system/turn_started`, `delta hello`, … */
export async function story(turn: Turn): Promise<string[]> {
  return (await collect(turn)).map(inShort).filter((line) => line !== "system/status");
}

function inShort(event: StreamEvent): string {
  switch (event.type) {
    case "system":
      return `system/${event.subtype}`;
    case "delta":
      return `delta ${event.text}`;
    case "message":
      return event.role === "user" ? `user ${event.text}` : `message ${event.text}`;
    case "tool_call":
      return `tool_call ${event.name}`;
    case "tool_result":
      return `tool_result ${event.isError ? "error" : "ok"}`;
    case "request":
      return `request ${event.verdict}`;
    case "response":
      return `response ${event.decision} by ${event.by}`;
    case "completion":
      return `completion ${event.outcome.status}`;
    case "error":
      return `error ${event.code}`;
  }
}

/** Reads events until the assistant's first complete message. Throws if the events end first. */
export async function untilReply(events: AsyncIterable<StreamEvent>): Promise<void> {
  for await (const event of events) if (isReply(event)) return;
  throw new Error("The events ended before the assistant replied.");
}

/** Returns the first event with this type. Throws if there is none. */
export async function until<T extends StreamEvent["type"]>(
  events: AsyncIterable<StreamEvent>,
  type: T,
): Promise<Extract<StreamEvent, { type: T }>> {
  for await (const event of events) {
    if (isOf(event, type)) return event;
  }
  throw new Error(`The events ended without an event of type ${type}.`);
}

function isOf<T extends StreamEvent["type"]>(
  event: StreamEvent,
  type: T,
): event is Extract<StreamEvent, { type: T }> {
  return event.type === type;
}
