import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Output } from "../contracts/adapter.ts";
import type { EventDraft, Mapper } from "../contracts/event-draft.ts";
import type { Chunk, Exit, HostProcess } from "../contracts/host.ts";
import { createLocalHost } from "../hosts/local/index.ts";
import { type NativeStreamOptions, nativeStream } from "./native-stream.ts";

/** A program that wrote these chunks and exited. */
function said(chunks: readonly Uint8Array[], exit: Exit = { code: 0 }, stderr = ""): HostProcess {
  const whole = Buffer.concat(chunks);
  return {
    identity: { pid: 1, startTime: "", bootId: "" },
    async *output({ from = 0, signal } = {}): AsyncGenerator<Chunk> {
      let end = 0;
      for (const chunk of chunks) {
        const start = Math.max(from, end);
        end += chunk.length;
        if (signal?.aborted) return;
        if (end > start) yield { bytes: whole.subarray(start, end), end };
      }
    },
    stderrTail: async () => stderr,
    write: () => Promise.reject(new Error("the program has exited")),
    exit: Promise.resolve(exit),
    health: async () => "dead",
    terminate: async () => {},
    detach: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

const says = (...lines: string[]) => said([Buffer.from(lines.map((line) => `${line}\n`).join(""))]);

const status = (text: string): EventDraft => ({ type: "system", subtype: "status", text });

/** A mapper that numbers its messages and ignores null. */
function counting(): Mapper {
  let count = 0;
  return {
    map(message) {
      count++;
      return message === null ? [] : [status(`${count}: ${JSON.stringify(message)}`)];
    },
    flush: () => [status(`${count} in all`)],
  };
}

interface Told {
  readonly batches: (readonly Output[])[];
  readonly outputs: Output[];
  readonly error: unknown;
}

async function listen(
  process: HostProcess,
  options: Partial<NativeStreamOptions> = {},
): Promise<Told> {
  const batches: (readonly Output[])[] = [];
  let error: unknown;
  try {
    const stream = nativeStream(process, { runtime: "fake", mapper: counting(), ...options });
    for await (const batch of stream) batches.push(batch);
  } catch (reason) {
    error = reason;
  }
  return { batches, outputs: batches.flat(), error };
}

const texts = ({ outputs }: Told) =>
  outputs.flatMap(({ drafts }) =>
    drafts.map((draft) => ("text" in draft ? draft.text : "message" in draft && draft.message)),
  );

describe("a stream", () => {
  test("yields each message with its cursor and raw value, one batch per chunk", async () => {
    const process = said([Buffer.from('1\n{"a":2}\n"th'), Buffer.from('ree"\n')]);
    expect((await listen(process)).batches).toEqual([
      [
        { drafts: [status("1: 1")], raw: 1, cursor: 2 },
        { drafts: [status('2: {"a":2}')], raw: { a: 2 }, cursor: 10 },
      ],
      [{ drafts: [status('3: "three"')], raw: "three", cursor: 18 }],
      [{ drafts: [status("3 in all")] }],
    ]);
  });

  test("yields the cursor even if there are no drafts", async () => {
    const { batches } = await listen(says("1", "null", "null"));
    expect(batches[0]?.at(-1)).toEqual({ drafts: [], cursor: 12 });
  });

  test("calls onMessage before a message is mapped", async () => {
    const seen: unknown[] = [];
    const mapper: Mapper = {
      map: (message) => [status(`${message} of ${seen.length}`)],
      flush: () => [],
    };
    const onMessage = (message: unknown) => void seen.push(message);
    expect(texts(await listen(says("1", "2"), { mapper, onMessage }))).toEqual([
      "1 of 1",
      "2 of 2",
    ]);
  });
});

describe("a bad line", () => {
  test("becomes a warning if it is not JSON, and reading continues", async () => {
    expect(texts(await listen(says("Warning: old", "", "  ", '{"cut', "1")))).toEqual([
      "fake wrote a line that is not JSON: Warning: old",
      'fake wrote a line that is not JSON: {"cut',
      "1: 1",
      "1 in all",
    ]);
  });

  test("is truncated in the warning", async () => {
    const [text] = texts(await listen(says("x".repeat(1_000_000))));
    expect(text).toHaveLength("fake wrote a line that is not JSON: ".length + 1000);
  });

  test("of a long series is reported only at the start, and again after a message", async () => {
    const row = Array.from({ length: 150 }, (_, index) => `banner ${index}`);
    const told = texts(await listen(says(...row, "1", "late")));
    expect(told).toHaveLength(100 + 3);
    expect(told[99]).toMatch(/banner 99; what follows of that kind is left out$/);
    expect(told.slice(100)).toEqual([
      "1: 1",
      "fake wrote a line that is not JSON: late",
      "1 in all",
    ]);
  });

  test("in an endless series ends the stream with an error", async () => {
    const endless = Buffer.from("y\n".repeat(100_001));
    await expect(listen(said([endless]))).resolves.toMatchObject({
      error: { code: "agent_failed", message: expect.stringContaining("100000 lines in a row") },
    });
  });

  test("over 64 MiB is an error, and reading continues", async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, "x");
    const chunks = [...Array<Buffer>(64).fill(mebibyte), Buffer.from("x\n1\n")];
    const { outputs } = await listen(said(chunks));
    expect(outputs.map(({ drafts }) => drafts)).toEqual([
      [
        {
          type: "error",
          code: "line_too_long",
          message: "fake: the line is too long (67108865 bytes)",
          retryable: false,
        },
      ],
      [status("1: 1")],
      [status("1 in all")],
    ]);
  });

  test("with invalid UTF-8 is used after a warning", async () => {
    const { outputs } = await listen(said([Buffer.from([0x22, 0xff, 0x22, 0x0a])]));
    expect(outputs[0]).toEqual({
      drafts: [
        {
          type: "system",
          subtype: "warning",
          text: "fake wrote a message that is not valid UTF-8; U+FFFD stands for what could not be read",
        },
        status('1: "\ufffd"'),
      ],
      raw: "\ufffd",
      cursor: 4,
    });
  });
});

describe("at the end of the program", () => {
  test("half a line is not lost, and drafts that the mapper buffered come last", async () => {
    const told = await listen(said([Buffer.from('1\n{"ha')]));
    expect(texts(told)).toEqual(["1: 1", 'fake wrote a line that is not JSON: {"ha', "1 in all"]);
    expect(told.batches.at(-1)).toHaveLength(2);
  });

  test.each([
    [{ code: 0 }, "", "fake ended with exit code 0"],
    [{ code: 3 }, "no key\n", "fake ended with exit code 3: no key"],
    [{ signal: "SIGKILL" }, "", "fake was killed by SIGKILL"],
    [{}, "", "fake ended"],
    [{ code: 1 }, `lost${"x".repeat(2000)}`, `fake ended with exit code 1: …${"x".repeat(2000)}`],
  ])("the stream throws the exit: %j %j", async (exit, stderr, message) => {
    const { error } = await listen(said([], exit, stderr));
    expect(error).toMatchObject({ code: "agent_exited", message });
  });

  test("onEnd receives the reason", async () => {
    const reasons: Error[] = [];
    const { error } = await listen(says("1"), { onEnd: (reason) => void reasons.push(reason) });
    expect(reasons).toEqual([error]);
  });
});

describe("a stream that is left", () => {
  test("by its signal ends without an error", async () => {
    const letGo = new AbortController();
    const reasons: string[] = [];
    const told = await listen(said([Buffer.from("1\n"), Buffer.from("2\n")]), {
      signal: letGo.signal,
      onMessage: () => letGo.abort(),
      onEnd: ({ message }) => void reasons.push(message),
    });
    expect(told.error).toBeUndefined();
    expect(texts(told)).toEqual(["1: 1"]);
    expect(reasons).toEqual(["nobody listens to fake any more"]);
  });

  test("by its reader calls onEnd as well", async () => {
    const reasons: string[] = [];
    const onEnd = ({ message }: Error) => void reasons.push(message);
    for await (const _ of nativeStream(says("1"), { runtime: "fake", mapper: counting(), onEnd }))
      break;
    expect(reasons).toEqual(["nobody listens to fake any more"]);
  });
});

describe("for any lines", () => {
  const line = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom("null", "", "  ", "garbage", '{"cut', '"\ufffd→😀"'),
    fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  const bytes = fc.array(line, { maxLength: 20 }).map((lines) => Buffer.from(lines.join("\n")));
  const cuts = fc.array(fc.nat(300), { maxLength: 20 });

  function cut(whole: Buffer, at: number[]): Buffer[] {
    const borders = [0, ...at.toSorted((a, b) => a - b), whole.length];
    return borders.slice(1).map((border, i) => whole.subarray(borders[i], border));
  }

  const told = ({ outputs }: Told) => outputs.filter(({ drafts }) => drafts.length > 0);

  test("the result does not depend on the chunks", async () => {
    const property = fc.asyncProperty(bytes, cuts, async (whole, at) => {
      const [one, many] = [await listen(said([whole])), await listen(said(cut(whole, at)))];
      expect(told(many)).toEqual(told(one));
    });
    await fc.assert(property);
  });

  test("an attach yields exactly the output that is not in the log yet", async () => {
    const property = fc.asyncProperty(bytes, cuts, fc.nat(), async (whole, at, pick) => {
      const all = told(await listen(said([whole])));
      const cursor = all[pick % all.length]?.cursor ?? 0;
      const attach = { turnCursor: 0, cursor };
      const rest = await listen(said(cut(whole, at)), { attach });
      expect(told(rest)).toEqual(all.filter((output) => (output.cursor ?? Infinity) > cursor));
    });
    await fc.assert(property);
  });
});

test("an attach reads from the start of the open turn", async () => {
  const seen: unknown[] = [];
  const told = await listen(says("1", "2", "3", "4"), {
    attach: { turnCursor: 2, cursor: 6 },
    onMessage: (message) => void seen.push(message),
  });
  expect(seen).toEqual([2, 3, 4]);
  expect(texts(told)).toEqual(["3: 4", "3 in all"]);
});

describe("a real program", () => {
  async function run(script: string): Promise<HostProcess> {
    const runDir = await mkdtemp(join(tmpdir(), "halyard-"));
    onTestFinished(() => rm(runDir, { recursive: true, force: true }));
    const command = { file: process.execPath, args: ["-e", script], cwd: runDir, env: {} };
    return createLocalHost().spawn(command, { runDir });
  }

  test("is read to its end, then its exit is thrown", async () => {
    const script = `
      for (let i = 0; i < 3; i++) console.log(JSON.stringify({ i }));
      process.stdout.write('"last"');
      console.error("out of paper");
      process.exitCode = 7;`;
    await using program = await run(script);
    const told = await listen(program);
    expect(texts(told)).toEqual([
      '1: {"i":0}',
      '2: {"i":1}',
      '3: {"i":2}',
      '4: "last"',
      "4 in all",
    ]);
    expect(told.error).toMatchObject({
      code: "agent_exited",
      message: "fake ended with exit code 7: out of paper",
    });
  });

  test("reports the signal that killed it", async () => {
    await using program = await run(`process.kill(process.pid, "SIGKILL")`);
    const { error } = await listen(program);
    expect(error).toMatchObject({ message: "fake was killed by SIGKILL" });
  });
});
