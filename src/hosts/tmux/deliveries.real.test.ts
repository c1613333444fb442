import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messages } from "../../../test/screens/messages.ts";
import { openStage, type ScreenRuntime } from "../../../test/screens/stage.ts";
import type { Session } from "../../contracts/halyard.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";

const ROUNDS = 10;

/** A message that was sent, and its receipt's status. */
interface SentMessage {
  readonly text: string;
  readonly tag: string;
  readonly status: string;
}

describe.each<ScreenRuntime>(["claude", "codex"])(
  "a hundred messages to %s on a screen",
  (name) => {
    test("are each reported correctly: none is lost or repeated and no dialog is answered [s1.message.delivery-tmux]", {
      timeout: 240_000,
    }, async () => {
      const { cwd, model, tools, request, open } = await openStage(name);
      model.on(/tag-/, { text: "Heard." });
      const waiting = (tag: string) =>
        tools.shell(`touch at-${tag}; until [ -e ${tag} ]; do sleep 0.05; done`);
      for (let round = 0; round < ROUNDS; round++) {
        const busy = `tag-${round}-busy`;
        model.on(busy, { toolCalls: [waiting(busy)] }, { text: "Done." });
        const toolCalls = [tools.write(`forbidden-${round}.txt`, "x")];
        model.on(`tag-${round}-ask`, { toolCalls }, { text: "Then not." });
      }
      const halyard = await open();
      const session = await halyard.start({ ...request, permissions: "ask", attended: true });
      await session.ready();
      const requests = requestsOf(session);
      const deliveries: SentMessage[] = [];
      const send = (tag: string, text: string, delivery: "queue" | "steer" = "queue") => {
        const turn = session.send(text, { delivery });
        const note = async () => {
          const receipt = await turn.accepted;
          const { status } = await turn.outcome;
          const isTaken = receipt.status !== "failed" && status === "completed";
          deliveries.push({ tag, text, status: isTaken ? "taken" : receipt.status });
        };
        return { turn, noted: note() };
      };

      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, write] of messages.entries()) {
          const tag = `tag-${round}-${at}`;
          await send(tag, write(tag)).noted;
        }
        const busy = `tag-${round}-busy`;
        const working = send(busy, `${busy} be busy`);
        await requests.next(session, { decision: "allow" });
        const queued = send(`tag-${round}-queued`, `tag-${round}-queued\nwait for it`);
        expect(await queued.turn.accepted).toEqual({ status: "queued" });
        await writeFile(join(cwd, busy), "");
        await Promise.all([working.noted, queued.noted]);

        const asking = send(`tag-${round}-ask`, `tag-${round}-ask write it`);
        await requests.next(session, async () => {
          await send(`tag-${round}-steer`, `tag-${round}-steer while it asks`, "steer").turn
            .accepted;
          return { decision: "deny", text: "not this" };
        });
        await asking.noted;
      }
      await expect.poll(() => deliveries.length).toBe(ROUNDS * 10);

      const last = model.requests.at(-1)?.messages ?? [];
      const received = last.filter(({ role }) => role === "user").map(({ text }) => text);
      for (const { tag, text, status } of deliveries) {
        const times = received.join("\n").split(tag).length - 1;
        expect([tag, status, times]).toEqual([tag, status, status === "taken" ? 1 : 0]);
        if (status === "taken") expect(received.join("\n")).toContain(text.trim());
      }
      const taken = deliveries.filter(({ status }) => status === "taken").length;
      // all messages are delivered, except those that were sent during a dialog
      expect(taken).toBeGreaterThanOrEqual(ROUNDS * 9);
      expect((await readdir(cwd)).filter((file) => file.startsWith("forbidden"))).toEqual([]);
      await session.stop();
    });
  },
);

/** Answers the session's requests one at a time. */
function requestsOf(session: Session) {
  const events = session.events()[Symbol.asyncIterator]();
  type Decision = Parameters<Session["answer"]>[1];
  return {
    async next(to: Session, answer: Decision | (() => Promise<Decision>)): Promise<void> {
      const { requestId } = await nextRequest(events);
      await to.answer(requestId, typeof answer === "function" ? await answer() : answer);
    },
  };
}

async function nextRequest(events: AsyncIterator<StreamEvent>): Promise<RequestEvent> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("the session has ended");
    if (value.type === "request") return value;
  }
}
