import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { within } from "../async/watchdog.ts";
import type { Command, Host } from "../contracts/host.ts";
import { toJsonLine } from "../wire/ndjson.ts";
import { nativeStream } from "./native-stream.ts";

/** A program that runs without a session and answers a few requests. */
export interface AskedProgram {
  /** Writes a message and resolves with the first message that `isReply` accepts. Rejects if the program exits. */
  request(message: unknown, isReply: (message: unknown) => boolean): Promise<unknown>;
  write(message: unknown): Promise<void>;
}

/** Options for `askProgram`. */
export interface AskProgramOptions<T> {
  readonly runtime: string;
  readonly host: Host;
  /**
   * Writes the program's files to a private directory and returns the program's command. The directory is deleted after
   * the program has exited.
   */
  prepare(directory: string): Promise<Command>;
  ask(program: AskedProgram): Promise<T>;
}

/**
 * Starts a program without a session, calls `ask` with the program, terminates the program, and returns the result of
 * `ask`. Rejects if `ask` takes longer than 30 s.
 */
export async function askProgram<T>(options: AskProgramOptions<T>): Promise<T> {
  const { runtime, host, prepare, ask } = options;
  const directory = await mkdtemp(join(tmpdir(), "halyard-ask-"));
  try {
    const command = await prepare(directory);
    await using process = await host.spawn(command, { runDir: directory });
    const expected = new Set<Expected>();
    const onMessage = (message: unknown) => {
      for (const one of expected) if (one.isReply(message)) one.resolve(message);
    };
    let ended: Error | undefined;
    const onEnd = (reason: Error) => {
      ended = reason;
      for (const { reject } of expected) reject(reason);
    };
    void drain(nativeStream(process, { runtime, mapper, onMessage, onEnd }));
    const write = (message: unknown) => process.write(toJsonLine(message));
    const request = async (message: unknown, isReply: Expected["isReply"]) => {
      const reply = new Promise<unknown>((resolve, reject) => {
        if (ended) reject(ended);
        expected.add({ isReply, resolve, reject });
      });
      await Promise.race([write(message), reply]);
      return reply;
    };
    return await within("ready", LIMIT_MS, `waiting for ${runtime}`, ask({ request, write }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Expected {
  readonly isReply: (message: unknown) => boolean;
  readonly resolve: (message: unknown) => void;
  readonly reject: (reason: Error) => void;
}

const LIMIT_MS = 30_000;

const mapper = { map: () => [], flush: () => [] };

/** Reads the output until it ends. An error reaches the pending requests through `onEnd`. */
async function drain(output: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of output);
  } catch {
    // `onEnd` has already reported the error.
  }
}
