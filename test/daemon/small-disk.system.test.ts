import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { repliesIn } from "../../src/testing/replies.ts";
import { StartedCli } from "../cli/start-cli.ts";
import { faultsOf, newDaemonUser } from "./scene.ts";

const program = fileURLToPath(new URL("small-disk.mjs", import.meta.url));
const unshare = ["unshare", "--map-root-user", "--mount"] as const;

/** True if this user can create a mount namespace. */
function canMount(): boolean {
  try {
    const [file, ...args] = unshare;
    const mount = ["mount", "-t", "tmpfs", "none", "/mnt"];
    execFileSync(file, [...args, ...mount], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canMount())("a full disk (if one can be mounted)", () => {
  test("ends an agent that cannot write, and keeps its earlier output in the log for a resume", async () => {
    const user = await newDaemonUser();
    const cli = new StartedCli(user, [...unshare, process.execPath, program]);
    const { stdout, stderr, exitCode } = await cli.finished;
    expect([exitCode, stderr]).toEqual([0, ""]);
    const { refused, outcome, events, recalled } = JSON.parse(stdout);
    expect(refused).toMatchObject({ status: "failed", error: { code: "store_full" } });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
    expect(faultsOf(events)).toEqual([]);
    const [before, cut = ""] = repliesIn(events);
    expect(before).toBe("before");
    expect([...Array(3000).keys()].join(" ").startsWith(cut)).toBe(true);
    expect(recalled).toMatchObject({ status: "completed", text: expect.stringMatching(/^say/) });
  });
});
