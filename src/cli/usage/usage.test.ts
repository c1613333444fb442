import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { UsageReport } from "../../schema/usage/usage-report.ts";
import { toFirstDay } from "./first-day.ts";

test("shows a turn's usage by day, runtime, project and model", async () => {
  const user = await newUser();
  expect(await runWarm(user, ["usage"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringContaining("No turn has ended yet."),
  });
  expect((await runWarm(user, ["demo", "--format", "quiet"])).exitCode).toBe(0);
  const lines = async (...args: string[]) =>
    (await runWarm(user, ["usage", ...args])).stdout.trimEnd().split("\n");
  const [heading, day, total] = await lines("--since", "2d");
  expect(heading).toMatch(/^DAY +SESSIONS +TURNS +INPUT +CACHED +OUTPUT +TIME +COST$/);
  expect(day).toMatch(/^\d{4}-\d\d-\d\d +1 +1 +4\.6k +0 +193 +[\d.]+ m?s +-$/);
  expect(total).toMatch(/^total +1 +1 +4\.6k /);
  expect((await lines("--by", "runtime"))[1]).toMatch(/^pi +1 +1 /);
  expect((await lines("--by", "project"))[1]).toMatch(/^\S+\/demo +1 +1 /);
  expect(await lines("--by", "model")).toHaveLength(3);
  const report = UsageReport.parse(JSON.parse((await lines("--format", "json")).join("")));
  expect(report.total).toMatchObject({ turns: 1, sessions: 1, outputTokens: 193 });
  const later = await runWarm(user, ["usage", "--since", "2100-01-01"]);
  expect(later).toMatchObject({ stdout: "", stderr: "No turn has ended since 2100-01-01.\n" });
});

test("parses ages and dates, and rejects other texts", () => {
  const now = new Date("2026-03-01T23:30:00Z");
  expect(toFirstDay("1d", now)).toBe("2026-03-01");
  expect(toFirstDay("7d", now)).toBe("2026-02-23");
  expect(toFirstDay("1w", now)).toBe("2026-02-23");
  expect(toFirstDay("2026-02-28", now)).toBe("2026-02-28");
  for (const text of ["", "d", "7", "7h", "2026-02-30", "yesterday", "2026-2-3"])
    expect(() => toFirstDay(text, now)).toThrow("Expected an age");
});
