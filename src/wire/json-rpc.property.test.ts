import fc from "fast-check";
import { expect, test } from "vitest";
import { createJsonRpcPeer } from "./json-rpc.ts";
import { JsonRpcError } from "./json-rpc-error.ts";

const id = fc.integer({ min: 1, max: 8 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("request" as const) }),
  fc.record({
    kind: fc.constant("answer" as const),
    id,
    asString: fc.boolean(),
    failed: fc.boolean(),
    value: fc.string(),
  }),
  fc.record({ kind: fc.constant("garbage" as const), value: fc.anything() }),
  fc.record({ kind: fc.constant("pause" as const) }),
);
type Answer = Extract<typeof step extends fc.Arbitrary<infer S> ? S : never, { kind: "answer" }>;

const closed = new Error("closed");

function toMessage({ id, asString, failed, value }: Answer): object {
  const answer = { id: asString ? String(id) : id };
  return failed ? { ...answer, error: { code: 1, message: value } } : { ...answer, result: value };
}

function toOutcome(answer: Answer | undefined): PromiseSettledResult<unknown> {
  if (answer === undefined) return { status: "rejected", reason: closed };
  const { failed, value } = answer;
  return failed
    ? { status: "rejected", reason: new JsonRpcError(1, value) }
    : { status: "fulfilled", value };
}

test("settles every request with its first response or with the close, regardless of other messages", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const peer = createJsonRpcPeer({ send: () => {} });
      const outcomes: Promise<unknown>[] = [];
      const firstAnswers: (Answer | undefined)[] = [];
      for (const one of steps) {
        switch (one.kind) {
          case "request":
            outcomes.push(peer.request("m"));
            firstAnswers.push(undefined);
            break;
          case "answer":
            if (one.id <= firstAnswers.length) firstAnswers[one.id - 1] ??= one;
            expect(peer.receive(toMessage(one))).toBe("response");
            break;
          case "garbage":
            peer.receive(one.value);
            break;
          case "pause":
            await Promise.resolve();
        }
      }
      peer.close(closed);
      expect(await Promise.allSettled(outcomes)).toEqual(firstAnswers.map(toOutcome));
    }),
  );
});
