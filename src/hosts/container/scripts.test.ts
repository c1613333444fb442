import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { readProcessTable } from "./process-table.ts";
import { find, hunger, launch, type Script, shell, sweep, tell } from "./scripts.ts";

const run = promisify(execFile);

/** Where BusyBox is, whose shell and grep many small images have. */
const busybox = ["/bin/busybox", "/usr/bin/busybox"].find((path) => existsSync(path));

describe.each([
  { tools: "this machine's own tools", from: undefined, isHere: true },
  { tools: "BusyBox", from: busybox, isHere: busybox !== undefined },
])("with $tools", ({ from, isHere }) => {
  describe.skipIf(!isHere)(isHere ? "as in a container" : "which is not installed here", () => {
    const inside = async (script: Script, ...args: string[]): Promise<string> => {
      const [, ...words] = shell(script, ...args);
      if (from === undefined) return (await run("/bin/sh", words)).stdout;
      const directory = await temporaryDirectory();
      for (const tool of ["sh", "grep", "sleep"]) await symlink(from, join(directory, tool));
      const { stdout } = await run(join(directory, "sh"), words, { env: { PATH: directory } });
      return stdout;
    };

    test("how many were killed for want of memory is a number, be it none", async () => {
      expect(await inside(hunger)).toMatch(/^\d+\n$/);
    });

    test("a program has the variables it is given, by whatever names", async () => {
      const runDir = await temporaryDirectory();
      const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
      const [shellFile, ...words] = shell(
        launch,
        join(runDir, "stdin"),
        join(runDir, "out"),
        "022",
        boot,
        "/usr/bin/env",
      );
      const names = [
        "stdin",
        "output",
        "umask",
        "boot",
        "file",
        "here",
        "program",
        "place",
        "line",
        "stat",
        "count",
      ];
      const env = Object.fromEntries(names.map((name) => [name, `its ${name}`]));
      const { stdout } = await run(from ?? shellFile, from ? ["sh", ...words] : words, { env });
      expect(stdout).toMatch(/^started \d+ \d+ /);
      const told = (await readFile(join(runDir, "out.stdout"), "utf8")).trim().split("\n");
      expect(told).toEqual(expect.arrayContaining(names.map((name) => `${name}=its ${name}`)));
      expect(told.filter((line) => line.startsWith("halyard"))).toEqual([]);
    });

    test("a program is found by its mark, told of, and ended with what it started", async () => {
      const marker = newMarker();
      const runDir = await temporaryDirectory();
      const env = { A: "1", [MARKER]: toMark({ marker, runDir }), Z: "2", PATH: process.env.PATH };
      const child = spawn("sh", ["-c", "env -i sleep 1000 & echo $!; wait"], {
        env,
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const { pid = 0 } = child;
      const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      onTestFinished(() => void child.kill("SIGKILL"));
      const [said] = await new Promise<Buffer[]>((resolve) => {
        child.stdout.once("data", (...data) => resolve(data));
      });
      const table = readProcessTable(await inside(tell));
      const ours = table.filter(({ mark }) => mark?.marker === marker);
      expect(ours).toMatchObject([
        { pid, mark: { marker, runDir } },
        { pid: Number(said), mark: { marker, runDir }, command: "sleep 1000" },
      ]);
      const [first] = ours;
      expect(await inside(find, marker)).toBe(`${pid} ${first?.startTime}\n`);
      await inside(sweep, String(pid), first?.startTime ?? "", marker);
      expect(await ended).toBe("SIGKILL");
      const after = readProcessTable(await inside(tell)).map((entry) => entry.pid);
      expect(after).not.toContain(Number(said));
    });
  });
});
