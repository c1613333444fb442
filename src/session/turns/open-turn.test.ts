import { expect, onTestFinished, test, vi } from "vitest";
import { createRedactor } from "../../log/redaction/redaction.ts";
import { OpenTurn } from "./open-turn.ts";

test("does not count the time that a restored turn was suspended toward its time limit", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = { now: () => new Date(), elapsedMs: () => performance.now() };
  const options = { clock, redactor: createRedactor([]), timeoutMs: 5_000, after: 0 };
  const turn = new OpenTurn("trn_0123456789abcdef", "work", options);
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  turn.startedAt = ago(3_600_000);
  turn.markSuspended(true, ago(3_598_000));
  turn.markSuspended(false, ago(0));
  const onLate = vi.fn();
  turn.startDeadline(onLate);
  vi.advanceTimersByTime(2_900);
  expect(onLate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(onLate).toHaveBeenCalledOnce();
});
