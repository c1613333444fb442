import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { HostTest } from "./host-test.ts";
import { echo, idle, node, readAll, readUntil, sh } from "./programs.ts";

/** Returns a program that reads small chunks, so that the pipe stays full, and prints the SHA-256 hash of its input. */
const slowReader = (bytes: number) =>
  node(`
    const fs = require("node:fs");
    const hash = require("node:crypto").createHash("sha256");
    const buffer = Buffer.alloc(30_000);
    let left = ${bytes};
    while (left > 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      const length = fs.readSync(0, buffer, 0, Math.min(buffer.length, left));
      hash.update(buffer.subarray(0, length));
      left -= length;
    }
    console.log(hash.digest("hex"));
  `);

/** Tests the input of programs. */
export function describeInput(test: HostTest): void {
  test("writes input to the program unchanged", async ({ workbench }) => {
    const process = await workbench.spawn(echo);
    await process.write("grüße 你好 👩‍🚀\n");
    expect(await readUntil(process, "heard grüße 你好 👩‍🚀\n")).toContain("ready");
  });

  test("writes 2.5 MB to a slow reader in order and without blocking", async ({ workbench }) => {
    const texts = ["ä".repeat(1_000_000), "second\n", "b".repeat(500_000), "last\n"];
    const whole = texts.join("");
    const process = await workbench.spawn(slowReader(Buffer.byteLength(whole)));
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const written: number[] = [];
    await Promise.all(
      texts.map(async (text, index) => {
        await process.write(text);
        written.push(index);
      }),
    );
    clearInterval(ticking);
    expect(written).toEqual([0, 1, 2, 3]);
    expect(turns).toBeGreaterThan(10);
    const expected = createHash("sha256").update(whole).digest("hex");
    expect(String(await readAll(process))).toBe(`${expected}\n`);
  });

  test("keeps the input open after a detach", async ({ workbench }) => {
    const runDir = workbench.newRunDir();
    const before = await workbench.spawn(
      node(`process.stdin.on("data", (text) => console.log("heard " + text));
        process.stdin.on("end", () => console.log("end of input"));`),
      { runDir },
    );
    await before.write("one");
    await readUntil(before, "heard one\n");
    await before.detach();
    const process = await workbench.host.attach(runDir);
    await process?.write("two");
    expect(process && (await readUntil(process, "heard two\n"))).toBe("heard one\nheard two\n");
  });

  test("rejects a write after the program has exited", async ({ workbench }) => {
    const process = await workbench.spawn(sh("exit 0"));
    await process.exit;
    await expect(process.write("hello\n")).rejects.toMatchObject({ code: "delivery_failed" });
  });

  test("rejects a write after the program has exited, even if a child could read it", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(sh("exec 3<&0; sleep 1000 <&3 & exit 0"));
    await process.exit;
    await expect(process.write("hello\n")).rejects.toMatchObject({ code: "delivery_failed" });
  });

  test("rejects a write if the program dies before it has read everything", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(idle);
    const refused = expect(process.write("x".repeat(1_000_000))).rejects.toMatchObject({
      code: "delivery_failed",
    });
    await readUntil(process, "ready");
    await process.terminate({ graceMs: 0 });
    await refused;
  });

  test("rejects a write if the program has closed its input, and leaves the program running", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(sh("exec 0<&-; echo ready; exec sleep 1000"));
    await readUntil(process, "ready");
    await expect(process.write("hello\n")).rejects.toMatchObject({ code: "delivery_failed" });
    expect(await process.health()).toBe("alive");
  });
}
