import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { limitTable } from "./limits.ts";

test("prints each account's windows with their use and reset times", () => {
  const now = new Date("2026-11-17T12:00:00Z");
  const account = {
    runtime: "codex",
    status: "reached",
    windows: [
      { window: "5h", usedPercent: 99.6, resetsAt: "2026-11-17T14:00:00.000Z" },
      { window: "7d", resetsAt: "2026-11-17T11:00:00.000Z" },
    ],
    reportedAt: "2026-11-17T11:55:00.000Z",
    sessionId: "ses_0123456789abcdef",
  } as const;
  const [heading, first, second] = limitTable([{ ...account, windows: [...account.windows] }], now);
  expect(heading).toMatch(/^RUNTIME +ACCOUNT +WINDOW +USED +RESETS +REPORTED$/);
  expect(first).toMatch(/^codex +default +5h +100% +(\S+ )?\d\d:\d\d \(in 2 h\) +5 min ago$/);
  expect(second).toMatch(/^codex +default +7d +reached +has reset +5 min ago$/);
});

test("prints that no session has reported a limit, and rejects malformed limit and budget options", async () => {
  const user = await newUser();
  expect(await runWarm(user, ["limits"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "No session has reported a usage limit yet.\n",
  });
  const rejected = async (...args: string[]) => (await runWarm(user, ["start", ...args])).stderr;
  expect(await rejected("--on-limit", "sleep")).toContain("Expected fail, wait, or handoff:");
  for (const budget of ["5", "0usd", "1.5tokens", "5usd;3min"])
    expect(await rejected("--budget", budget)).toContain("Expected amounts separated by commas");
});
