import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable, Writable } from "node:stream";
import * as second from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as first from "@agentclientprotocol/sdk/unstable";
import { onTestFinished } from "vitest";
import type { AcpContext } from "../../src/acp/context.ts";
import { serveAcp } from "../../src/acp/serve.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { HalyardOptions } from "../../src/halyard-options.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FirstClient, type FirstClientOptions } from "./first-client.ts";

/** A Halyard instance with the fake runtime, and a working directory. */
export interface Scene {
  readonly halyard: Halyard;
  readonly cwd: string;
}

export async function openScene(options: HalyardOptions = {}): Promise<Scene> {
  const root = await temporaryDirectory();
  const cwd = join(root, "work");
  await mkdir(cwd);
  const home = join(root, "home");
  const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], ...options });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  return { halyard, cwd };
}

/** The ACP agent on a pair of streams. */
export interface Served {
  readonly stream: first.Stream;
  /** The lines that the agent wrote to Halyard's own log. */
  readonly log: string[];
  /** Disconnects the client. Resolves when the agent has ended. */
  leave(): Promise<void>;
}

export function serve({ halyard }: Scene, context: Partial<AcpContext> = {}): Served {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const log: string[] = [];
  const whole: AcpContext = {
    halyard,
    startRequest: async (cwd) => ({ runtime: "fake", cwd }),
    resumeOptions: async () => ({}),
    log: (line) => log.push(line),
    ...context,
  };
  const line = { input: there, output: back, version: "1.2.3" };
  const serving = serveAcp({ first, second }, whole, line);
  const leave = async () => {
    there.end();
    await serving;
  };
  onTestFinished(leave);
  const stream = first.ndJsonStream(Writable.toWeb(there), bytesOf(back));
  return { stream, log, leave };
}

/** Creates a scene, an agent, and an initialized client that uses protocol version 1. */
export async function openFirst(
  options: FirstClientOptions = {},
  context: Partial<AcpContext> = {},
): Promise<Scene & Served & { client: FirstClient }> {
  const scene = await openScene();
  const served = serve(scene, context);
  const client = new FirstClient(served.stream, options);
  await client.greeting;
  return { ...scene, ...served, client };
}

export function bytesOf(stream: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      stream.on("data", (chunk: Uint8Array) => controller.enqueue(chunk));
      stream.once("close", () => controller.close());
      stream.once("end", () => stream.destroy());
    },
  });
}
