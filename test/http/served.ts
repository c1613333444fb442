import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import type { HalyardOptions } from "../../src/halyard-options.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { createServer, type HalyardServer, type ServerOptions } from "../../src/server/index.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

export const TOKEN = "a-token-nobody-guesses";

/** A raw request with arbitrary headers. */
export interface WireRequest {
  readonly headers?: Record<string, string>;
  /** The body. A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

export interface WireAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** The parsed body. Undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly json: any;
}

/** A Halyard instance in this process with the fake runtime, behind a server on a free port. */
export interface Served extends AsyncDisposable {
  readonly halyard: Halyard;
  readonly server: HalyardServer;
  readonly url: string;
  readonly home: string;
  readonly cwd: string;
  /** The faults that the server reported. */
  readonly faults: unknown[];
  call(method: string, path: string, wire?: WireRequest): Promise<WireAnswer>;
  /** Resolves with the response when its headers have arrived. */
  open(path: string, headers?: Record<string, string>): Promise<IncomingMessage>;
  /** Resolves when the checkpoints of the ended turns are in the log, so that the log no longer grows. */
  settle(id: string): Promise<void>;
  /** Starts a session and returns its id when its first checkpoint is in the log. */
  start(body?: object): Promise<SessionId>;
}

export async function serve(
  options: ServerOptions = {},
  { home: given, ...more }: HalyardOptions = {},
): Promise<Served> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const home = given ?? join(directory, "home");
  const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], ...more });
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const server = createServer(halyard, { token: TOKEN, onFault, ...options });
  const listener = await server.listen({ port: 0 });
  const { url } = listener;
  const authorization = `Bearer ${TOKEN}`;
  const call = (method: string, path: string, { headers, body }: WireRequest = {}) =>
    callWire(new URL(path, url), method, { headers: { authorization, ...headers }, body });
  /** Waits for the checkpoints of the turns that have ended, which follow their completions. */
  const settle = async (id: string) => {
    await halyard.changes(id).catch(() => {}); // rejects if the session records no files
  };
  return {
    halyard,
    settle,
    server,
    url,
    home,
    cwd,
    faults,
    call,
    open: (path, headers) => openWire(new URL(path, url), { authorization, ...headers }),
    async start(body = {}) {
      const started = {
        runtime: "fake",
        cwd,
        permissions: "allow-all",
        ...body,
      };
      const { json } = await call("POST", "/v1/sessions", { body: started });
      await (await halyard.session(json.id)).ready();
      await settle(json.id);
      return json.id;
    },
    async [Symbol.asyncDispose]() {
      await halyard[Symbol.asyncDispose]();
      await listener.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Serves a Halyard instance whose store waits 0.3 s instead of 5 s for a lock that another process holds. */
export async function serveImpatiently(): Promise<Served> {
  const home = await temporaryDirectory();
  const store = await openSqliteStore(join(home, "halyard.db"), { lockTimeoutMs: 300 });
  return serve({}, { home, store });
}

/** Sends a request and reads the whole response. */
export async function callWire(
  url: URL,
  method: string,
  { headers = {}, body }: WireRequest,
): Promise<WireAnswer> {
  const call = request(url, { method, headers, agent: false });
  const answering = once(call, "response");
  call.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  const [answer]: IncomingMessage[] = await answering;
  call.on("error", () => {}); // the server may close the connection while the request is sent
  return readWire(answer);
}

async function openWire(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const call = request(url, { headers, agent: false });
  call.on("error", () => {}); // the test may end before the response arrives
  const answering = once(call, "response");
  call.end();
  const [answer] = await answering;
  answer.on("error", () => {});
  return answer;
}

async function readWire(answer: IncomingMessage | undefined): Promise<WireAnswer> {
  if (answer === undefined) throw new Error("The server did not send a response.");
  answer.setEncoding("utf8");
  let text = "";
  for await (const chunk of answer) text += chunk;
  const type = answer.headers["content-type"];
  const isJson = type?.includes("json") && !type.includes("jsonl");
  const { statusCode: status = 0, headers } = answer;
  return { status, type, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Yields the frames of an event stream, each as an object of its fields. */
export async function* frames(answer: IncomingMessage): AsyncGenerator<Record<string, string>> {
  answer.setEncoding("utf8");
  let rest = "";
  for await (const chunk of answer) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      yield Object.fromEntries(part.split("\n").map((line) => line.split(/: ?(.*)/s, 2)));
    }
  }
}

/** Collects all items. */
export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}
