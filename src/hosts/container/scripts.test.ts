import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { MARKER, newMarker, toMark } from "../recording/mark.ts";
import { readProcessTable } from "./processes/process-table.ts";
import { find, launch, listProcesses, oomKills, type Script, shell, sweep } from "./scripts.ts";

const run = promisify(execFile);

/** The path of BusyBox, which provides the shell and grep in many small images. */
const busybox = ["/bin/busybox", "/usr/bin/busybox"].find((path) => existsSync(path));

describe.each([
  { tools: "this machine's tools", from: undefined, isHere: true },
  { tools: "BusyBox", from: busybox, isHere: busybox !== undefined },
])("with $tools", ({ from, isHere }) => {
  describe.skipIf(!isHere)(isHere ? "in a container" : "not installed", () => {
    const inside = async (script: Script, ...args: string[]): Promise<string> => {
      const [, ...shellArgs] = shell(script, ...args);
      if (from === undefined) return (await run("/bin/sh", shellArgs)).stdout;
      const directory = await temporaryDirectory();
      for (const tool of ["sh", "grep", "sleep"]) await symlink(from, join(directory, tool));
      const { stdout } = await run(join(directory, "sh"), shellArgs, { env: { PATH: directory } });
      return stdout;
    };

    test("prints the number of processes that the kernel killed because of the memory limit", async () => {
      expect(await inside(oomKills)).toMatch(/^\d+\n$/);
    });

    test("passes variables with any name to a program", async () => {
      const runDir = await temporaryDirectory();
      const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
      const [shellFile, ...shellArgs] = shell(
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
      const { stdout } = await run(from ?? shellFile, from ? ["sh", ...shellArgs] : shellArgs, {
        env,
      });
      expect(stdout).toMatch(/^started \d+ \d+ /);
      const output = (await readFile(join(runDir, "out.stdout"), "utf8")).trim().split("\n");
      expect(output).toEqual(expect.arrayContaining(names.map((name) => `${name}=its ${name}`)));
      expect(output.filter((line) => line.startsWith("halyard"))).toEqual([]);
    });

    test("finds a program by its marker, lists it and ends it with its descendants", async () => {
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
      const [printed] = await new Promise<Buffer[]>((resolve) => {
        child.stdout.once("data", (...data) => resolve(data));
      });
      // The shell prints the pid before the child has executed the program, so poll.
      const own = await eventually(async () => {
        const table = readProcessTable(await inside(listProcesses));
        const found = table.filter(({ mark }) => mark?.marker === marker);
        expect(found).toMatchObject([
          { pid, mark: { marker, runDir } },
          { pid: Number(printed), mark: { marker, runDir }, command: "sleep 1000" },
        ]);
        return found;
      });
      const [first] = own;
      expect(await inside(find, marker)).toBe(`${pid} ${first?.startTime}\n`);
      await inside(sweep, String(pid), first?.startTime ?? "", marker);
      expect(await ended).toBe("SIGKILL");
      const after = readProcessTable(await inside(listProcesses)).map((entry) => entry.pid);
      expect(after).not.toContain(Number(printed));
    });
  });
});
