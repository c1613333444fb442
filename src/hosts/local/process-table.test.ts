import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { listFromProc, readFromProc } from "./proc.ts";
import { listFromPs, readFromPs } from "./ps.ts";

describe.each([
  ["/proc", listFromProc, readFromProc],
  ["ps", listFromPs, readFromPs],
])("the process table from %s", (_, list, read) => {
  test("lists a process with its parent and group", async () => {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    const pid = child.pid ?? 0;
    const entry = {
      pid,
      ppid: process.pid,
      pgid: pid,
      startTime: expect.any(String),
      ended: false,
      handlesTermination: false,
    };
    expect(await list()).toContainEqual(entry);
    expect(read(pid)).toEqual(entry);
    expect(read(pid)?.startTime).toBe((await list()).find((one) => one.pid === pid)?.startTime);
    child.kill();
    await once(child, "exit");
    expect(read(pid)).toBeUndefined();
  });

  test("marks processes that have exited and were not reaped", async () => {
    const parent = spawn("/bin/sh", ["-c", "sleep 1000 & echo $!; exec cat"]);
    onTestFinished(() => void parent.kill());
    const pid = Number(String((await once(parent.stdout, "data"))[0]));
    parent.stdin.write("hello\n");
    await once(parent.stdout, "data"); // the shell has now been replaced, so it no longer reaps its child
    process.kill(pid);
    await eventually(() => expect(read(pid)).toMatchObject({ pid, ended: true }));
  });

  test("parses a program name with spaces and parentheses", async () => {
    const directory = await mkdtemp(join(tmpdir(), "halyard-name-"));
    const file = join(directory, ") S 1 (x");
    await symlink("/bin/sleep", file);
    const child = spawn(file, ["1000"], { stdio: "ignore" });
    await once(child, "spawn");
    expect(read(child.pid ?? 0)).toMatchObject({ ppid: process.pid, ended: false });
    child.kill();
    await rm(directory, { recursive: true });
  });
});
