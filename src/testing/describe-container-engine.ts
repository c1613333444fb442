import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import {
  type ContainerRuntimeUnderTest,
  createRuntimeTest,
} from "./container-suite/engine-test.ts";

/** Tests the container engine contract with real containers. Removes all containers that it creates. */
export function describeContainerEngine(name: string, given: ContainerRuntimeUnderTest): void {
  const test = createRuntimeTest(given);
  describe(`${name} engine`, { timeout: 60_000 }, () => {
    test("reports its version and that it is available", async ({ bench }) => {
      expect(await bench.runtime.ping()).toEqual({ version: expect.stringMatching(/\d+\.\d+/) });
      expect(await bench.runtime.isAvailable()).toBe(true);
    });

    test("reports whether an image exists", async ({ bench }) => {
      expect(await bench.runtime.imageExists(given.image)).toBe(true);
      expect(await bench.runtime.imageExists("localhost/halyard-no-such:image")).toBe(false);
    });

    test("creates a container; start, stop and remove can be repeated", async ({ bench }) => {
      const { runtime } = bench;
      const id = await runtime.create(await bench.spec());
      expect(await runtime.status(id)).toBe("created");
      await runtime.start(id);
      await runtime.start(id);
      expect(await runtime.status(id)).toBe("running");
      await runtime.stop(id, { graceSeconds: 1 });
      await runtime.stop(id);
      expect(await runtime.status(id)).toBe("stopped");
      await runtime.remove(id);
      await runtime.remove(id);
      await runtime.stop(id);
      expect(await runtime.status(id)).toBe("missing");
      expect(await runtime.inspect(id)).toBeUndefined();
    });

    test("finds containers by name and label, and reports their last start", async ({ bench }) => {
      const { runtime } = bench;
      const spec = await bench.spec();
      const id = await bench.start(spec);
      const found = await runtime.inspect(spec.name);
      expect(found).toMatchObject({ id, name: spec.name, status: "running" });
      expect(found?.labels).toMatchObject(spec.labels);
      const listed = await runtime.list(spec.labels);
      expect(listed.map((one) => one.id)).toEqual([id]);
      expect(await runtime.list({ ...spec.labels, another: "label" })).toEqual([]);
      await runtime.stop(id);
      await runtime.start(id);
      expect((await runtime.inspect(id))?.startedAt).not.toBe(found?.startedAt);
    });

    test("rejects a duplicate name and a missing image", async ({ bench }) => {
      const spec = await bench.spec();
      await bench.start(spec);
      await expect(bench.runtime.create(spec)).rejects.toThrow();
      const image = "localhost/halyard-no-such:image";
      await expect(bench.runtime.create({ ...(await bench.spec()), image })).rejects.toThrow();
    });

    test("runs programs with arguments and environment, and reports their exit codes", async ({
      bench,
    }) => {
      const words = ["", "two words", "$HOME `id` 'q' \"d\"", "ünïcödé\n"];
      const script = 'printf "%s|" "$@"; printf "$KEY" >&2; exit 42';
      const env = { KEY: "a = 'b'\nc" };
      const { exec } = await bench.running();
      expect(await exec({ args: ["/bin/sh", "-c", script, "sh", ...words], env })).toEqual({
        code: 42,
        stdout: words.map((word) => `${word}|`).join(""),
        stderr: env.KEY,
      });
      expect(await exec({ args: ["/bin/sh", "-c", "kill -9 $$"] })).toMatchObject({ code: 137 });
      const user = await exec({ args: ["id", "-u"], user: "1234:1234", cwd: "/tmp" });
      expect(user.stdout).toBe("1234\n");
      await expect(exec({ args: ["/bin/sh", "-c", "a\0b"] })).rejects.toThrow(/NUL/);
    });

    test("returns the complete output of a program that exits quickly", async ({ bench }) => {
      const { exec } = await bench.running();
      const script = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; printf end";
      const { stdout } = await exec({ args: ["/bin/sh", "-c", script] });
      const expected = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");
      expect(stdout).toBe(`${expected}end`);
    });

    test("writes to an interactive program, and leaves it running when the connection is closed", async ({
      bench,
    }) => {
      const { id, exec, spec } = await bench.running();
      const place = spec.mounts[0]?.target ?? "";
      const script =
        'read a; echo "heard $a"; cat >/dev/null; echo alone > "$1/after"; exec sleep 1000';
      const args = ["/bin/sh", "-c", script, "sh", place] as const;
      const talk = await bench.runtime.execInteractive(id, { args: [...args] });
      await talk.write("you\n");
      for await (const said of talk.stdout) {
        expect(String(said)).toBe("heard you\n");
        break;
      }
      talk.close();
      await expect
        .poll(() => exec({ args: ["cat", `${place}/after`] }).then(({ stdout }) => stdout))
        .toBe("alone\n");
      if (talk.id !== undefined) expect(await bench.runtime.execIsRunning(talk.id)).toBe(true);
    });

    test("reports the exit code of an interactive program", async ({ bench }) => {
      const { id } = await bench.running();
      const exec = await bench.runtime.execInteractive(id, { args: ["/bin/sh", "-c", "exit 7"] });
      exec.hold();
      expect(await exec.exited).toBe(7);
      expect(await text(exec.stdout)).toBe("");
      if (exec.id !== undefined) expect(await bench.runtime.execIsRunning(exec.id)).not.toBe(true);
    });

    test("mounts directories read-write or read-only", async ({ bench }) => {
      const spec = await bench.spec();
      const [own] = spec.mounts;
      const shown = await given.newDirectory();
      await writeFile(join(shown, "there"), "from outside");
      const mounts = [...spec.mounts, { source: shown, target: "/shown", readOnly: true }];
      const id = await bench.start({ ...spec, mounts });
      const exec = (script: string) =>
        bench.runtime.exec(id, { args: ["/bin/sh", "-c", script, "sh", own?.target ?? ""] });
      expect((await exec("cat /shown/there")).stdout).toBe("from outside");
      expect((await exec("echo x > /shown/new")).code).not.toBe(0);
      expect((await exec('echo inside > "$1/made"')).code).toBe(0);
      expect(await readFile(join(own?.source ?? "", "made"), "utf8")).toBe("inside\n");
    });

    test("returns the output of the main process", async ({ bench }) => {
      const spec = await bench.spec();
      const command = ["/bin/sh", "-c", "echo said; echo complained >&2; exec sleep 1000"];
      const id = await bench.start({ ...spec, command });
      await expect.poll(() => bench.runtime.logs(id)).toMatch(/said\n.*complained/s);
    });

    test.skipIf(given.cannot?.limits)(
      "restricts a container's capabilities, file system, network and number of processes",
      async ({ bench }) => {
        const { exec } = await bench.running();
        const status = (await exec({ args: ["cat", "/proc/self/status"] })).stdout;
        expect(status).toMatch(/CapEff:\s+0000000000000000/);
        expect(status).toMatch(/NoNewPrivs:\s+1/);
        expect((await exec({ args: ["/bin/sh", "-c", "echo x > /etc/new"] })).code).not.toBe(0);
        expect((await exec({ args: ["/bin/sh", "-c", "echo x > /tmp/new"] })).code).toBe(0);
        expect((await exec({ args: ["cat", "/proc/net/dev"] })).stdout).not.toMatch(/eth0/);
        const forks = "i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i+1)); done";
        expect((await exec({ args: ["/bin/sh", "-c", forks] })).stderr).toMatch(/fork|resource/i);
      },
    );

    test.skipIf(given.cannot?.build)("builds an image from a Dockerfile", async ({ bench }) => {
      const tag = `localhost/halyard-suite-${bench.name}:built`;
      const Dockerfile = "ARG BASE\nFROM $BASE\nARG WORD\nENV WORD=$WORD\nCOPY note /note\n";
      const args = { BASE: given.image, WORD: "built" };
      await bench.runtime.build({ tag, files: { Dockerfile, note: "a note" }, args });
      const { exec } = await bench.running({ image: tag });
      const { stdout } = await exec({ args: ["/bin/sh", "-c", 'echo "$WORD"; cat /note'] });
      expect(stdout).toBe("built\na note");
      const files = { Dockerfile: "FROM localhost/halyard-no-such:image\n" };
      await expect(bench.runtime.build({ tag, files, args: {} })).rejects.toMatchObject({
        code: "start_failed",
      });
    });
  });
}
