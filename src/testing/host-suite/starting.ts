import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { HostTest, Program } from "./host-test.ts";
import { idle, node, readAll, readUntil, sh } from "./programs.ts";

const tell = (what: string) => node(`console.log(JSON.stringify(${what}))`);

/** Tests the start of programs. */
export function describeStarting(test: HostTest): void {
  test("passes the arguments unchanged", async ({ workbench }) => {
    const args = ["", "two words", "$HOME `id` 'quoted' \"twice\"", "-n", "ünïcödé\n"];
    const process = await workbench.spawn(
      node("console.log(JSON.stringify(process.argv.slice(1)))", "--", ...args),
    );
    expect(JSON.parse(String(await readAll(process)))).toEqual(args);
  });

  test("starts the program in the given working directory", async ({ workbench }) => {
    const cwd = join(workbench.directory, "the work place");
    await mkdir(cwd);
    const process = await workbench.spawn({ ...tell("process.cwd()"), cwd });
    expect(JSON.parse(String(await readAll(process)))).toBe(await realpath(cwd));
  });

  test("finds a program on the given PATH", async ({ workbench }) => {
    const file = "halyard-test-program";
    await writeFile(join(workbench.directory, file), "#!/bin/sh\necho found\n", { mode: 0o755 });
    const process = await workbench.spawn({ file, args: [], env: { PATH: workbench.directory } });
    expect(String(await readAll(process))).toBe("found\n");
  });

  test("passes only the given environment", async ({ workbench }) => {
    const ours = "HALYARD_TEST_SECRET";
    process.env[ours] = "not for others";
    try {
      const given = { ...workbench.env, KEY: "value = 'with' $signs\nand lines" };
      const program = await workbench.spawn({ ...tell("process.env"), env: given });
      const got = JSON.parse(String(await readAll(program)));
      expect(got).toMatchObject(given);
      expect(got).not.toHaveProperty(ours);
    } finally {
      delete process.env[ours];
    }
  });

  test("reports the pid and the health of a running program", async ({ workbench }) => {
    const process = await workbench.spawn(idle);
    expect(process.identity.pid).toBeGreaterThan(1);
    expect(await process.health()).toBe("alive");
  });

  test("runs two programs independently", async ({ workbench }) => {
    const [one, two] = await Promise.all(
      ["one", "two"].map((text) => workbench.spawn(sh(`echo ${text}`))),
    );
    expect(one && String(await readAll(one))).toBe("one\n");
    expect(two && String(await readAll(two))).toBe("two\n");
  });

  test("fails with the reason if the program, its arguments or its directory cannot be used", async ({
    workbench,
  }) => {
    const plain = join(workbench.directory, "plain.txt");
    const orphan = join(workbench.directory, "orphan");
    await writeFile(plain, "text");
    await writeFile(orphan, "#!/nowhere/interpreter\n", { mode: 0o755 });
    const faults: [Program, RegExp][] = [
      [{ file: "/nowhere/program", args: [] }, /\/nowhere\/program does not exist/],
      [
        { file: "halyard-no-such-program", args: [] },
        /not found on the (container's )?PATH.*install/i,
      ],
      [{ file: plain, args: [] }, /plain\.txt is not executable/],
      [{ file: workbench.directory, args: [] }, /is not executable/],
      [{ file: orphan, args: [] }, /interpreter/],
      [{ ...idle, cwd: "/nowhere" }, /working directory \/nowhere does not exist/],
      [{ ...idle, cwd: plain }, /plain\.txt is not a directory/],
      [{ ...idle, args: ["x".repeat(4 * 1024 * 1024)] }, /shorter/],
      [{ ...idle, args: ["a\0b"] }, /could not be started/],
    ];
    for (const [program, message] of faults)
      await expect(workbench.spawn(program)).rejects.toMatchObject({
        code: "start_failed",
        message: expect.stringMatching(message),
      });
  });

  test("can start a program in the same run directory after a failed start", async ({
    workbench,
  }) => {
    const runDir = workbench.newRunDir();
    const missing = { file: "/nowhere/program", args: [] };
    await expect(workbench.spawn(missing, { runDir })).rejects.toThrow();
    expect(await workbench.host.attach(runDir)).toBeUndefined();
    const process = await workbench.spawn(sh("echo second"), { runDir });
    expect(String(await readAll(process))).toBe("second\n");
  });

  test("rejects a second program in a run directory, and keeps the recording of the first", async ({
    workbench,
  }) => {
    const runDir = workbench.newRunDir();
    const first = await workbench.spawn(idle, { runDir });
    await readUntil(first, "ready");
    await expect(workbench.spawn(sh("echo second"), { runDir })).rejects.toMatchObject({
      code: "start_failed",
    });
    expect(await first.health()).toBe("alive");
    await first.terminate({ graceMs: 0 });
    expect(String(await readAll(first))).toBe("ready\n");
  });
}
