import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  counting,
  listen,
  type ReadStream,
  status,
  texts,
} from "../../test/adapter-kit/read-stream.ts";
import type { Mapper } from "../contracts/event-draft.ts";
import type { Chunk, Exit, HostProcess } from "../contracts/host.ts";
import { nativeStream } from "./native-stream.ts";

/** Creates a program that has written these chunks and exited. */
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

  test("is truncated to 1000 characters in the warning", async () => {
    const [text] = texts(await listen(says("x".repeat(1_000_000))));
    expect(text).toHaveLength("fake wrote a line that is not JSON: ".length + 1000);
  });

  test("is reported only at the start of a long series, and again after a message", async () => {
    const row = Array.from({ length: 150 }, (_, index) => `banner ${index}`);
    const result = texts(await listen(says(...row, "1", "late")));
    expect(result).toHaveLength(100 + 3);
    expect(result[99]).toMatch(/banner 99; further lines of this kind are not reported$/);
    expect(result.slice(100)).toEqual([
      "1: 1",
      "fake wrote a line that is not JSON: late",
      "1 in all",
    ]);
  });

  test("ends the stream with an error after more than 100,000 bad lines in a row", async () => {
    const endless = Buffer.from("y\n".repeat(100_001));
    await expect(listen(said([endless]))).resolves.toMatchObject({
      error: { code: "agent_failed", message: expect.stringContaining("100000 lines in a row") },
    });
  });

  test("is reported as an error if it is longer than 64 MiB, and reading continues", async () => {
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

  test("is decoded with a warning if it contains invalid UTF-8", async () => {
    const { outputs } = await listen(said([Buffer.from([0x22, 0xff, 0x22, 0x0a])]));
    expect(outputs[0]).toEqual({
      drafts: [
        {
          type: "system",
          subtype: "warning",
          text: "fake wrote a message that is not valid UTF-8; invalid bytes were replaced with U+FFFD",
        },
        status('1: "\ufffd"'),
      ],
      raw: "\ufffd",
      cursor: 4,
    });
  });
});

describe("at the end of the program", () => {
  test("a partial last line becomes a warning, and drafts that the mapper buffered come last", async () => {
    const result = await listen(said([Buffer.from('1\n{"ha')]));
    expect(texts(result)).toEqual(["1: 1", 'fake wrote a line that is not JSON: {"ha', "1 in all"]);
    expect(result.batches.at(-1)).toHaveLength(2);
  });

  test.each([
    [{ code: 0 }, "", "fake ended with exit code 0"],
    [{ code: 3 }, "no key\n", "fake ended with exit code 3: no key"],
    [{ signal: "SIGKILL" }, "", "fake was killed by SIGKILL"],
    [{}, "", "fake ended"],
    [{ code: 1 }, `lost${"x".repeat(2000)}`, `fake ended with exit code 1: …${"x".repeat(2000)}`],
  ])(
    "the stream throws an error with the exit and stderr: %j %j",
    async (exit, stderr, message) => {
      const { error } = await listen(said([], exit, stderr));
      expect(error).toMatchObject({ code: "agent_exited", message });
    },
  );

  test("onEnd receives the error that the stream throws", async () => {
    const reasons: Error[] = [];
    const { error } = await listen(says("1"), { onEnd: (reason) => void reasons.push(reason) });
    expect(reasons).toEqual([error]);
  });
});

describe("a closed stream", () => {
  test("ends without an error if its signal closed it", async () => {
    const letGo = new AbortController();
    const reasons: string[] = [];
    const result = await listen(said([Buffer.from("1\n"), Buffer.from("2\n")]), {
      signal: letGo.signal,
      onMessage: () => letGo.abort(),
      onEnd: ({ message }) => void reasons.push(message),
    });
    expect(result.error).toBeUndefined();
    expect(texts(result)).toEqual(["1: 1"]);
    expect(reasons).toEqual([
      "Halyard no longer reads the output of fake. Resume the session to continue.",
    ]);
  });

  test("calls onEnd even if its reader closed it", async () => {
    const reasons: string[] = [];
    const onEnd = ({ message }: Error) => void reasons.push(message);
    for await (const _ of nativeStream(says("1"), { runtime: "fake", mapper: counting(), onEnd }))
      break;
    expect(reasons).toEqual([
      "Halyard no longer reads the output of fake. Resume the session to continue.",
    ]);
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

  const result = ({ outputs }: ReadStream) => outputs.filter(({ drafts }) => drafts.length > 0);

  test("the result does not depend on how the output is split into chunks", async () => {
    const property = fc.asyncProperty(bytes, cuts, async (whole, at) => {
      const [one, many] = [await listen(said([whole])), await listen(said(cut(whole, at)))];
      expect(result(many)).toEqual(result(one));
    });
    await fc.assert(property);
  });

  test("an attach yields exactly the output that is not in the log yet", async () => {
    const property = fc.asyncProperty(bytes, cuts, fc.nat(), async (whole, at, pick) => {
      const all = result(await listen(said([whole])));
      const cursor = all[pick % all.length]?.cursor ?? 0;
      const attach = { turnCursor: 0, cursor };
      const rest = await listen(said(cut(whole, at)), { attach });
      expect(result(rest)).toEqual(all.filter((output) => (output.cursor ?? Infinity) > cursor));
    });
    await fc.assert(property);
  });
});

test("an attach reads from the start of the open turn", async () => {
  const seen: unknown[] = [];
  const result = await listen(says("1", "2", "3", "4"), {
    attach: { turnCursor: 2, cursor: 6 },
    onMessage: (message) => void seen.push(message),
  });
  expect(seen).toEqual([2, 3, 4]);
  expect(texts(result)).toEqual(["3: 4", "3 in all"]);
});
