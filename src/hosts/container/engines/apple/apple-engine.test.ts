import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { ContainerSpec } from "../../../../contracts/container-engine.ts";
import { temporaryDirectory } from "../../../../testing/temporary-directory.ts";
import { createAppleEngine } from "./apple-engine.ts";

/** A fake that implements the documented behavior. The real program runs on macOS only. */
const fake = new URL("../../../../../test/containers/fake-apple/container.mjs", import.meta.url);

async function setUp() {
  const directory = await temporaryDirectory();
  const program = join(directory, "container.mjs");
  await copyFile(fake, program);
  await chmod(program, 0o755);
  const runtime = createAppleEngine({ program, env: process.env });
  const calls = async (): Promise<string[][]> =>
    (await readFile(join(directory, "calls"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { directory, runtime, calls };
}

const spec: ContainerSpec = {
  name: "halyard-one",
  image: "localhost/halyard-agent:test",
  command: ["sleep", "infinity"],
  labels: { "halyard.directory": "here" },
  env: { HOME: "/home/agent" },
  user: "1000:1000",
  workdir: "/work",
  mounts: [
    { source: "/a", target: "/work", readOnly: false },
    { source: "/b", target: "/b", readOnly: true },
  ],
  tmpfs: { "/tmp": "size=1g" },
  network: "none",
  readOnlyRoot: true,
  memoryBytes: 512 * 1024 * 1024,
  cpus: 1.5,
  pids: 64,
};

test("creates a container with the documented arguments", async () => {
  const { runtime, calls } = await setUp();
  expect(await runtime.create(spec)).toBe("halyard-one");
  expect((await calls())[0]?.join(" ")).toBe(
    "create --name halyard-one --user 1000:1000 --workdir /work --memory 512M --cpus 2 " +
      "--label halyard.directory=here --env HOME=/home/agent --mount type=bind,source=/a,target=/work " +
      "--mount type=bind,source=/b,target=/b,readonly --tmpfs /tmp --network none " +
      "--entrypoint sleep localhost/halyard-agent:test infinity",
  );
});

test("reports the status of a container from its creation to its removal", async () => {
  const { runtime } = await setUp();
  const id = await runtime.create(spec);
  expect(await runtime.status(id)).toBe("created");
  await runtime.start(id);
  await runtime.start(id);
  const running = await runtime.inspect(id);
  const { image, labels } = spec;
  expect(running).toMatchObject({ id, name: id, image, labels, status: "running" });
  expect(await runtime.list({ "halyard.directory": "here" })).toEqual([running]);
  expect(await runtime.list({ "halyard.directory": "elsewhere" })).toEqual([]);
  expect(await runtime.logs(id)).toBe("what halyard-one said\n");
  await runtime.stop(id);
  await runtime.stop(id);
  expect(await runtime.status(id)).toBe("stopped");
  await runtime.remove(id);
  await runtime.remove(id);
  expect(await runtime.status(id)).toBe("missing");
});

test("rejects a second container with the same name and reports the program's error", async () => {
  const { runtime } = await setUp();
  await runtime.create(spec);
  await expect(runtime.create(spec)).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/"container create" failed: .*already exists/),
  });
});

test("exec passes variables by name, so that no value is in the arguments", async () => {
  const { runtime, calls } = await setUp();
  const id = await runtime.create(spec);
  await runtime.start(id);
  const script = 'read line; echo "$KEY $line" >&2; exit 3';
  const result = await runtime.exec(
    id,
    { args: ["/bin/sh", "-c", script], env: { KEY: "sk-secret" } },
    { input: "hello\n" },
  );
  expect(result).toEqual({ code: 3, stdout: "", stderr: "sk-secret hello\n" });
  expect(JSON.stringify(await calls())).not.toContain("sk-secret");
});

test("rejects an exec and a build with the signal's reason when the signal is aborted", async () => {
  const { directory, runtime, calls } = await setUp();
  const id = await runtime.create(spec);
  await runtime.start(id);
  const file = join(directory, "pid");
  const pid = async () => Number(await readFile(file, "utf8").catch(() => ""));
  const patience = new AbortController();
  const { signal } = patience;
  const script = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1000`;
  const running = runtime.exec(id, { args: ["/bin/sh", "-c", script] }, { signal });
  running.catch(() => {}); // awaited below
  await expect.poll(pid).toBeGreaterThan(1);
  const program = await pid();
  onTestFinished(() => void process.kill(program, "SIGKILL"));
  patience.abort(new Error("too long"));
  await expect(running).rejects.toThrow("too long");
  expect(process.kill(program, 0), "the program keeps running").toBe(true);
  const before = await calls();
  await expect(runtime.exec(id, { args: ["/bin/true"] }, { signal })).rejects.toThrow("too long");
  const image = { tag: "localhost/x", files: { Dockerfile: "FROM scratch\n" }, args: {} };
  await expect(runtime.build({ ...image, signal })).rejects.toThrow("too long");
  expect(await calls(), "starts no program if the signal is already aborted").toEqual(before);
});

test("supports interactive input and reports the exit code", async () => {
  const { runtime } = await setUp();
  const id = await runtime.create(spec);
  await runtime.start(id);
  const args = ["/bin/sh", "-c", 'read line; echo "heard $line"; exit 5'] as const;
  const exec = await runtime.execInteractive(id, { args: [...args] });
  const said = text(exec.stdout);
  await exec.write("you\n");
  expect(await exec.exited).toBe(5);
  expect(await said).toBe("heard you\n");
});

test("finds and builds images, and rejects a failed pull and an import", async () => {
  const { runtime, calls } = await setUp();
  expect(await runtime.imageExists("localhost/halyard-agent:test")).toBe(true);
  expect(await runtime.imageExists("localhost/another:test")).toBe(false);
  const lines: string[] = [];
  const files = { Dockerfile: "FROM scratch\n" };
  const onLine = (line: string) => lines.push(line);
  await runtime.build({ tag: "localhost/x", files, args: { A: "b" }, onLine });
  expect(lines).toEqual(["#1 done"]);
  expect((await calls()).at(-1)?.slice(0, 7).join(" ")).toBe(
    "build --progress plain --tag localhost/x --build-arg A=b",
  );
  await expect(runtime.pull("docker.io/node")).rejects.toMatchObject({ code: "start_failed" });
  const { stdout: tar, exited } = await runtime.execInteractive("none", { args: ["x"] });
  await expect(runtime.importImage(tar, { tag: "x", changes: [] })).rejects.toMatchObject({
    code: "unsupported",
  });
  await exited;
});

test("explains how to start an engine that is down, and how to install a missing engine", async () => {
  const { directory, runtime } = await setUp();
  expect(await runtime.ping()).toEqual({ version: "0.9.0" });
  await writeFile(join(directory, "down"), "");
  await expect(runtime.ping()).rejects.toThrow(/container system start/);
  expect(await runtime.isAvailable()).toBe(false);
  const none = createAppleEngine({ program: join(directory, "none"), env: {} });
  await expect(none.ping()).rejects.toMatchObject({
    code: "host_unavailable",
    message: expect.stringMatching(/Install it from github.com\/apple\/container/),
  });
});
