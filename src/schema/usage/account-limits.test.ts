import { expect, test } from "vitest";
import { sampleSession } from "../../testing/sample-session.ts";
import type { SessionInfo } from "../session.ts";
import { accountLimits } from "./account-limits.ts";

const now = new Date("2026-11-17T12:00:00Z");
const session = (id: string, more: Partial<SessionInfo>): SessionInfo => ({
  ...sampleSession(),
  id: `ses_${id.padEnd(16, "0")}`,
  runtime: "claude",
  ...more,
});

test("merges each account's newest windows, and omits the usage of windows that have reset", () => {
  const five = { window: "five_hour", usedPercent: 80, resetsAt: "2026-11-17T14:00:00.000Z" };
  const seven = { window: "seven_day", usedPercent: 20, resetsAt: "2026-11-17T11:00:00.000Z" };
  const limit = (reportedAt: string, windows: (typeof five)[]) =>
    ({ status: "ok", windows, reportedAt }) as const;
  const accounts = accountLimits(
    [
      session("b", { limit: limit("2026-11-17T11:30:00.000Z", [five]) }),
      session("a", {
        limit: limit("2026-11-17T10:00:00.000Z", [seven, { ...five, usedPercent: 5 }]),
      }),
      session("c", {
        accountDir: "/home/me/.claude-work",
        limit: {
          status: "reached",
          resetsAt: five.resetsAt,
          reportedAt: "2026-11-17T11:00:00.000Z",
        },
      }),
      session("d", {}),
    ],
    now,
  );
  expect(accounts).toEqual([
    {
      runtime: "claude",
      status: "ok",
      windows: [{ window: "seven_day", resetsAt: seven.resetsAt }, five],
      reportedAt: "2026-11-17T11:30:00.000Z",
      sessionId: "ses_b000000000000000",
    },
    {
      runtime: "claude",
      accountDir: "/home/me/.claude-work",
      status: "reached",
      windows: [{ window: "requests", resetsAt: five.resetsAt }],
      reportedAt: "2026-11-17T11:00:00.000Z",
      sessionId: "ses_c000000000000000",
    },
  ]);
});
