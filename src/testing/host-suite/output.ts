import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Chunk } from "../../contracts/host.ts";
import type { HostTest } from "./host-test.ts";
import { echo, idle, node, readAll, readUntil, sh } from "./programs.ts";

/** Tests the output of programs. */
export function describeOutput(test: HostTest): void {
  test("yields output while the program runs, and ends when the program exits", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(echo);
    await readUntil(process, "ready\n");
    await process.write("you\n");
    expect(await readUntil(process, "heard you\n")).toBe("ready\nheard you\n");
    await process.write("leave\n");
    expect(String(await readAll(process))).toBe("ready\nheard you\n");
  });

  test("reads output from any byte, for many readers at the same time", async ({ workbench }) => {
    const text = "äöü 你好 👩‍🚀\nsecond line\n";
    const process = await workbench.spawn(node(`process.stdout.write(${JSON.stringify(text)})`));
    const whole = Buffer.from(text);
    const starts = Array.from({ length: whole.length + 1 }, (_, start) => start);
    const parts = await Promise.all(starts.map((start) => readAll(process, start)));
    expect(parts).toEqual(starts.map((start) => whole.subarray(start)));
  });

  test("yields each chunk with its end offset", async ({ workbench }) => {
    const process = await workbench.spawn(node("process.stdout.write('x'.repeat(3_000_000))"));
    const chunks: Chunk[] = [];
    for await (const chunk of process.output({ from: 10 })) chunks.push(chunk);
    let end = 10;
    for (const chunk of chunks) {
      end += chunk.bytes.length;
      expect(chunk.end).toBe(end);
    }
    expect(end).toBe(3_000_000);
  });

  test("preserves every byte, even if the bytes are not text", async ({ workbench }) => {
    const process = await workbench.spawn(
      node("process.stdout.write(Buffer.from([0xff, 0, 0xc3, 0x28, 10]))"),
    );
    expect(await readAll(process)).toEqual(Buffer.from([0xff, 0, 0xc3, 0x28, 10]));
  });

  test("reads a line of 50 MiB", async ({ workbench }) => {
    const bytes = 50 * 1024 * 1024;
    const process = await workbench.spawn(
      node(
        `process.stdout.write(Buffer.alloc(${bytes}, "0123456789abc")); process.stdout.write("\\n")`,
      ),
    );
    const hash = createHash("sha256");
    for await (const chunk of process.output()) hash.update(chunk.bytes);
    const expected = createHash("sha256").update(Buffer.alloc(bytes, "0123456789abc")).update("\n");
    expect(hash.digest("hex")).toBe(expected.digest("hex"));
  });

  test("does not reuse a chunk's buffer", async ({ workbench }) => {
    const process = await workbench.spawn(
      node(
        `for (let i = 0; i < 500; i++) require("node:fs").writeSync(1, String(i).repeat(5000) + "\\n")`,
      ),
    );
    const expected = Array.from({ length: 500 }, (_, i) => `${String(i).repeat(5000)}\n`).join("");
    expect(String(await readAll(process))).toBe(expected);
  });

  test("reads all output of a program that exits immediately", async ({ workbench }) => {
    for (let i = 0; i < 20; i++) {
      const process = await workbench.spawn(sh(`printf 'line %s\\n' ${i}; printf last; exit 3`));
      expect(String(await readAll(process))).toBe(`line ${i}\nlast`);
      expect(await process.exit).toEqual({ code: 3 });
    }
  });

  test("yields no output if the program writes nothing", async ({ workbench }) => {
    const process = await workbench.spawn(sh("exit 0"));
    expect(await readAll(process)).toEqual(Buffer.alloc(0));
  });

  test("ends the output when the program exits, even if a child keeps stdout open", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(sh("sleep 1000 & echo bye"));
    expect(String(await readAll(process))).toBe("bye\n");
  });

  test("ends the output without an error when the signal is aborted", async ({ workbench }) => {
    const process = await workbench.spawn(idle);
    const leaving = new AbortController();
    const said: string[] = [];
    for await (const { bytes } of process.output({ signal: leaving.signal })) {
      said.push(String(bytes));
      queueMicrotask(() => leaving.abort());
    }
    expect(said).toEqual(["ready\n"]);
    for await (const _ of process.output({ signal: leaving.signal })) expect.unreachable();
    expect(await process.health()).toBe("alive");
  });

  test("excludes stderr from the output, and returns its tail separately", async ({
    workbench,
  }) => {
    const process = await workbench.spawn(
      node(`console.log("out"); process.stderr.write("é".repeat(500_000) + "the end")`),
    );
    expect(String(await readAll(process))).toBe("out\n");
    const tail = await process.stderrTail();
    expect(tail).toMatch(/^é+the end$/);
    expect(tail.length).toBeLessThan(64 * 1024);
  });
}
