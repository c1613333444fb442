import { expect, test } from "vitest";
import { HalyardError } from "../../errors/error.ts";
import { type EventBody, StreamEvent } from "../../schema/event.ts";
import type { EventOutput } from "../output/event-output.ts";
import { type Asker, AskingOutput } from "./asking-output.ts";
import type { Decided } from "./reply.ts";

/** Records shown events, questions and answers in order. Each question waits until the test replies. */
function scene() {
  const log: string[] = [];
  const open = new Map<string, (reply: Decided | undefined) => void>();
  const output: EventOutput = {
    async write(event) {
      log.push(`show ${event.type} ${event.seq}`);
    },
    close() {},
  };
  const asker: Asker = {
    ask(request, { signal }) {
      log.push(`ask ${request.requestId}`);
      return new Promise((resolve) => {
        open.set(request.requestId, resolve);
        signal.addEventListener("abort", () => {
          log.push(`withdraw ${request.requestId}`);
          resolve(undefined);
        });
      });
    },
    async answer(requestId, { decision }) {
      log.push(`answer ${requestId} ${decision}`);
      if (decision === "deny") throw new HalyardError("request_not_found", "too late");
    },
  };
  return { log, asking: new AskingOutput(output, asker), reply: open };
}

let seq = 0;
function event(body: EventBody): StreamEvent {
  seq += 1;
  const envelope = {
    seq,
    at: "2026-01-01T00:00:00.000Z",
    sessionId: "ses_0123456789abcdef",
    runtime: "pi",
  };
  return StreamEvent.parse({ ...envelope, ...body });
}

const first = "req_aaaaaaaaaaaaaaaa";
const second = "req_bbbbbbbbbbbbbbbb";
const request = (requestId: typeof first | typeof second): StreamEvent =>
  event({
    type: "request",
    requestId,
    nativeId: requestId,
    kind: "permission",
    text: "?",
    tool: { name: "bash", kind: "execute", input: {} },
    options: [],
    verdict: "ask",
  });
const delta = () => event({ type: "delta", channel: "text", messageId: "m", text: "x" });
const completion = () =>
  event({
    type: "completion",
    outcome: {
      status: "completed",
      text: "",
      stopReason: "end_turn",
      usage: { inputTokens: 0, outputTokens: 0 },
      durationMs: 1,
    },
  });

test("shows events that arrive during a question only after the reply", async () => {
  seq = 0;
  const { log, asking, reply } = scene();
  await asking.write(request(first));
  await asking.write(delta());
  await expect.poll(() => log).toEqual(["show request 1", `ask ${first}`]);
  reply.get(first)?.({ kind: "answer", answer: { decision: "allow" } });
  await expect.poll(() => log).toContain("show delta 2");
  await asking.write(completion());
  expect(log.slice(2)).toEqual([`answer ${first} allow`, "show delta 2", "show completion 3"]);
});

test("cancels a question that is answered elsewhere", async () => {
  seq = 0;
  const { log, asking } = scene();
  await asking.write(request(first));
  await expect.poll(() => log).toContain(`ask ${first}`);
  await asking.write(
    event({ type: "response", requestId: first, decision: "deny", by: "timeout" }),
  );
  await asking.write(completion());
  expect(log.slice(2)).toEqual([`withdraw ${first}`, "show response 2", "show completion 3"]);
});

test("cancels open and waiting questions when the turn ends", async () => {
  seq = 0;
  const { log, asking } = scene();
  await asking.write(request(first));
  await asking.write(request(second));
  await expect.poll(() => log).toContain(`ask ${first}`);
  await asking.write(completion());
  expect(log).toEqual([
    "show request 1",
    `ask ${first}`,
    `withdraw ${first}`,
    "show request 2",
    "show completion 3",
  ]);
});

test("ignores the error if the request is no longer open when the user answers", async () => {
  seq = 0;
  const { log, asking, reply } = scene();
  await asking.write(request(first));
  await expect.poll(() => log).toContain(`ask ${first}`);
  reply.get(first)?.({ kind: "answer", answer: { decision: "deny" } });
  await asking.write(completion());
  expect(log.at(-1)).toBe("show completion 2");
});
