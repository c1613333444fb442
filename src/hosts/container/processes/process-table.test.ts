import { expect, test } from "vitest";
import { readProcessTable } from "./process-table.ts";

const marker = "0123456789abcdef0123456789abcdef";
const mark = { marker, runDir: "/home/me/my runs/ses_1" };

/** Returns a line as in `/proc/PID/stat`. The start time is field 22. */
function stat(pid: number, name: string, state: string, parent: number, startTime: string): string {
  const between = Array.from({ length: 17 }, () => "0").join(" ");
  return `/proc/${pid}/stat:${pid} (${name}) ${state} ${parent} ${between} ${startTime} 0 0`;
}

function cmdline(pid: number, ...all: string[]): string {
  return `/proc/${pid}/cmdline:${all.map((word) => `${word}\0`).join("")}`;
}

test("assigns a process its own marker, or that of its nearest ancestor with one", () => {
  const output = [
    stat(1, "sleep", "S", 0, "10"),
    stat(7, "node", "S", 0, "20"),
    stat(9, "sh", "S", 7, "30"),
    stat(12, "sleep", "S", 9, "40"),
    `/proc/7/environ:HALYARD_RUN=${marker}:${mark.runDir}`,
    cmdline(1, "sleep", "infinity"),
    cmdline(7, "node", "main.mjs"),
    cmdline(12, "sleep", "100"),
  ].join("\n");
  expect(readProcessTable(output)).toEqual([
    { pid: 1, startTime: "10", mark: undefined, command: "sleep infinity" },
    { pid: 7, startTime: "20", mark, command: "node main.mjs" },
    { pid: 9, startTime: "30", mark, command: "" },
    { pid: 12, startTime: "40", mark, command: "sleep 100" },
  ]);
});

test("excludes exited processes and incomplete lines", () => {
  const output = [stat(7, "node", "Z", 1, "20"), "/proc/8/stat:8 (sh) S 1", "/proc/9/cmdline:x"];
  expect(readProcessTable(output.join("\n"))).toEqual([]);
});

test("parses a process name with parentheses and line breaks, and arguments that imitate another file", () => {
  const output = [
    `/proc/7/stat:7 (a) S 1 (`,
    stat(7, "b) c", "S", 0, "20").replace("7 (", ""),
    "/proc/7/cmdline:two",
    `/proc/7/cmdline:/proc/1/environ:HALYARD_RUN=${marker}:/made/up`,
  ].join("\n");
  expect(readProcessTable(output)).toEqual([
    {
      pid: 7,
      startTime: "20",
      mark: undefined,
      command: `two\n/proc/1/environ:HALYARD_RUN=${marker}:/made/up`,
    },
  ]);
});
