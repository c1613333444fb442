import { createServer } from "node:net";
import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, type FinishedTurn, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** The maximum time until a model failure is reported, in milliseconds. */
const BOUND_MS = 15_000;

/** Tests how a turn ends if the model fails. */
export function describeFailures(
  test: AdapterTest,
  { failingStatus: status = 500 }: RuntimeUnderTest,
): void {
  test.for([
    [400, "no such PARAMETER", ["agent_failed"]],
    // If the mapper does not report a rejected key, the session recognizes the rejection by the error text.
    [401, "bad KEY", ["agent_failed", "not_signed_in"]],
  ] as const)(
    "fails the turn within 5 s, with the model's message, after status %i",
    async ([status, message, codes], { shared }) => {
      shared.model.on("try", { error: { status, message } });
      shared.model.on("greet", { text: "Hello." });
      const { conversation } = shared;
      const { end, elapsedMs } = await timed(() => conversation.turn("try it"));
      expect(end).toMatchObject({
        status: "failed",
        error: { code: expect.toBeOneOf([...codes]), message: expect.stringContaining(message) },
      });
      expect(elapsedMs).toBeLessThan(BOUND_MS / 3);
      expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
    },
  );

  // The next two tests mostly wait for retries, so they run concurrently.
  test.concurrent("fails the turn if the model keeps failing", { timeout: 2 * BOUND_MS }, async ({
    shared,
  }) => {
    shared.model.on("try", { error: { status, message: "it BROKE" } });
    const { conversation } = shared;
    const { end, elapsedMs } = await timed(() => conversation.turn("try it"));
    expect(end).toMatchObject({
      status: "failed",
      error: { code: "agent_failed", message: expect.stringContaining("BROKE") },
    });
    expect(elapsedMs).toBeLessThan(BOUND_MS);
  });

  test.concurrent("fails the turn if the model endpoint is unreachable", {
    timeout: 2 * BOUND_MS,
  }, async ({ stage }) => {
    const endpoint = stage.model.endpoint(stage.apis[0]);
    const baseUrl = endpoint.baseUrl.replace(/:\d+/, `:${await closedPort()}`);
    const conversation = await stage.open({ model: { ...endpoint, baseUrl } });
    const { end, elapsedMs } = await timed(() => conversation.turn("try it"));
    expect(end).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
    expect(elapsedMs).toBeLessThan(BOUND_MS);
  });

  test("emits a message under a new id if the model's first response was cut off", async ({
    shared,
  }) => {
    const cut = { text: "one two three four five", chunkSize: 4, chunkDelayMs: 30 };
    shared.model.on("count", [{ ...cut, cutAfterChunks: 6 }, { text: "one two three" }]);
    const { conversation } = shared;
    const { drafts, end } = await conversation.turn("count");
    expect(end.status).toBe("completed");
    const [message, ...others] = ofType(drafts, "message");
    expect(others).toEqual([]);
    const pieces = ofType(drafts, "delta").filter(
      ({ messageId }) => messageId === message?.messageId,
    );
    expect(pieces.map(({ text }) => text).join("")).toBe(message?.text);
    expect(message?.text).toBe("one two three");
  });
}

async function timed(
  turn: () => Promise<FinishedTurn>,
): Promise<FinishedTurn & { elapsedMs: number }> {
  const begun = performance.now();
  const received = await turn();
  return { ...received, elapsedMs: performance.now() - begun };
}

/** Returns a port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}
