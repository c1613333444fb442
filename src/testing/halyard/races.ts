import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Halyard } from "../../contracts/halyard.ts";
import { newRaceId } from "../../errors/require-id.ts";
import type { RaceInfo, Racer, RacerRequest } from "../../schema/workspace/race.ts";
import type { HalyardFixture, OpenFixture } from "./fixture.ts";

/** Tests races: the same task for several sessions, each in a git worktree. */
export function describeRaces(open: OpenFixture): void {
  describe("race", () => {
    test("runs its sessions in worktrees, ranks them by the check, and stores the result", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const racers = await twoRacers(fixture);
      const started = await halyard.races.start({
        prompt: "sh echo $HALYARD_PORT_BASE > port.txt",
        racers,
        check: "cat port.txt; grep -q 0010 port.txt",
        concurrency: 1,
      });
      expect(started).toMatchObject({ state: "running", racers: [{ runtime: "fake" }, {}] });
      const states = await statesOf(halyard, started.id);
      const ended = states.at(-1);
      const changes = { files: 1, insertions: 1, deletions: 0 };
      const done = { runtime: "fake", state: "done", outcome: "completed", changes };
      expect(ended).toMatchObject({
        id: started.id,
        state: "done",
        racers: [
          { ...done, check: { passed: true, output: expect.stringMatching(/0010$/) } },
          { ...done, check: { passed: false } },
        ],
      });
      expect(ended?.winner).toBe(ended?.racers[0]?.sessionId);
      const isActive = ({ state }: Racer) => state !== "waiting" && state !== "done";
      for (const { racers: now } of states)
        expect(now.filter(isActive).length).toBeLessThanOrEqual(1);
      const labels = { race: started.id };
      const sessions = await halyard.sessions({ labels });
      expect(sessions.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
      expect(new Set(sessions.map(({ worktree }) => worktree?.path)).size).toBe(2);
      await expect(readChanges(cwd)).resolves.toBe("");

      const recorded = await (await fixture.again()).races.find(started.id);
      expect(recorded).toMatchObject({
        id: started.id,
        state: "done",
        winner: ended?.winner,
        racers: [
          { ...done, check: { passed: true } },
          { ...done, check: { passed: false } },
        ],
      });
    });

    test("starts once if it is requested repeatedly with the same id", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const request = { id: newRaceId(), prompt: "say hi", racers: await twoRacers(fixture) };
      const [first, second] = await Promise.all([
        halyard.races.start(request),
        halyard.races.start(request),
      ]);
      expect([first.id, second.id]).toEqual([request.id, request.id]);
      expect(await endOf(halyard, request.id)).toMatchObject({ state: "done" });
      expect((await halyard.races.start(request)).state).toBe("done");
      expect(await halyard.sessions({ labels: { race: request.id } })).toHaveLength(2);
    });

    test("has no winner if no session changes a file, and reports sessions that cannot start", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const racers = [{ runtime: "fake", cwd, permissions: "allow-all" } as const];
      const { id } = await halyard.races.start({ prompt: "say hi", racers });
      const ended = await endOf(halyard, id);
      expect(ended.racers).toEqual([
        {
          runtime: "fake",
          state: "done",
          error: expect.objectContaining({ code: expect.any(String) }),
        },
      ]);
      const idle = await halyard.races.start({
        prompt: "say hi",
        racers: await twoRacers(fixture),
      });
      expect(await endOf(halyard, idle.id)).not.toHaveProperty("winner");
    });

    test("is cancelled with its turns, and starts no further session", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const racers = await twoRacers(fixture);
      const { id } = await halyard.races.start({ prompt: "wait", racers, concurrency: 1 });
      for await (const { racers: now } of halyard.races.watch(id))
        if (now.some(({ state }) => state === "running")) break;
      const cancelled = await halyard.races.cancel(id);
      expect(cancelled).toMatchObject({ id, state: "cancelled" });
      expect(cancelled).not.toHaveProperty("winner");
      expect(cancelled.racers.map(({ state, outcome }) => [state, outcome])).toEqual([
        ["done", "cancelled"],
        ["done", undefined],
      ]);
      expect(await halyard.sessions({ labels: { race: id } })).toMatchObject([
        { state: "stopped" },
      ]);
      expect(await halyard.races.cancel(id)).toMatchObject({ state: "cancelled" });
    });

    test("fails a check that exceeds its time limit", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const racers = (await twoRacers(fixture)).slice(1);
      const check = { check: "sleep 1000", checkTimeoutMs: 200 };
      const { id } = await halyard.races.start({ prompt: "sh echo x > x", racers, ...check });
      const output = "The check did not finish within 0.2 s.";
      expect((await endOf(halyard, id)).racers).toMatchObject([
        { outcome: "completed", check: { passed: false, output } },
      ]);
    });

    test("is not found by an unknown or malformed id, and is rejected without a racer", async () => {
      await using fixture = await open();
      const { races } = fixture.halyard;
      for (const id of [newRaceId(), "rac_x", ""]) {
        expect(await races.find(id)).toBeUndefined();
        await expect(races.cancel(id)).rejects.toMatchObject({ code: "race_not_found" });
        await expect(endOf(fixture.halyard, id)).rejects.toMatchObject({ code: "race_not_found" });
      }
      await expect(races.start({ prompt: "say hi", racers: [] })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });
  });
}

/** Creates a repository in the working directory, and returns two racers in it. */
async function twoRacers({ cwd }: HalyardFixture): Promise<RacerRequest[]> {
  await writeFile(join(cwd, "a.txt"), "one\n");
  await git(cwd, "init", "--quiet");
  await git(cwd, "add", "--all");
  await git(
    cwd,
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@localhost",
    "commit",
    "--quiet",
    "-mStart",
  );
  const racer = { runtime: "fake", cwd, permissions: "allow-all" } as const;
  return [racer, racer];
}

function readChanges(cwd: string): Promise<string> {
  return git(cwd, "status", "--short");
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  return (await promisify(execFile)("git", args, { cwd, env })).stdout;
}

async function statesOf(halyard: Halyard, id: string): Promise<RaceInfo[]> {
  const states: RaceInfo[] = [];
  for await (const race of halyard.races.watch(id)) states.push(race);
  return states;
}

async function endOf(halyard: Halyard, id: string): Promise<RaceInfo> {
  const last = (await statesOf(halyard, id)).at(-1);
  if (!last) throw new Error("The race has no state.");
  return last;
}
