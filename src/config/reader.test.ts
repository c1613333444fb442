import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createConfigReader } from "./reader.ts";

async function newReader() {
  const root = await temporaryDirectory();
  await mkdir(join(root, "config"));
  await mkdir(join(root, ".gastown"));
  const reader = createConfigReader({ env: { HOME: root }, home: join(root, ".halyard") });
  const server = join(root, "config", "server.json");
  const runtime = async () => (await reader.read({ cwd: root })).server?.value?.agent_runtime;
  return { root, reader, server, runtime };
}

test("returns the changed content of a file on the next read", async () => {
  const { server, runtime } = await newReader();
  expect(await runtime()).toBeUndefined();
  await writeFile(server, '{ "agent_runtime": "codex" }');
  expect(await runtime()).toBe("codex");
  await writeFile(server, '{ "agent_runtime": "droid" }');
  expect(await runtime()).toBe("droid");
  await rm(server);
  expect(await runtime()).toBeUndefined();
});

test.each(["", '{ "agent_runt', '{ "agent_runtime": 7 }'])(
  "returns the last valid content with a warning if a file becomes %j",
  async (text) => {
    const { root, reader, server, runtime } = await newReader();
    await writeFile(server, '{ "agent_runtime": "codex" }');
    await runtime();
    await writeFile(server, text);
    const config = await reader.read({ cwd: root });
    expect(config.server?.value).toEqual({ agent_runtime: "codex" });
    expect(config.warnings).toEqual([
      expect.stringMatching(
        /^Halyard uses the last valid content of .*server\.json: .*server\.json:1:\d+: /,
      ),
    ]);
    await writeFile(server, '{ "agent_runtime": "claude" }');
    expect(await runtime()).toBe("claude");
  },
);

test("reports a warning once if a file is read twice", async () => {
  const { root, server } = await newReader();
  await writeFile(server, '{ "agent_runtime": "codex", "colour": 1 }');
  const warnings: string[] = [];
  const reader = createConfigReader({
    env: { HOME: root },
    home: join(root, ".halyard"),
    onWarning: (warning) => warnings.push(warning),
  });
  await reader.read({ cwd: root });
  await reader.read({ cwd: root });
  expect(warnings).toEqual([expect.stringContaining("colour is not a known setting")]);
});

test("rejects a file that was never valid", async () => {
  const { server, runtime } = await newReader();
  await writeFile(server, "{");
  await expect(runtime()).rejects.toMatchObject({ code: "invalid_config" });
});

test("reads the registry again after a change, and returns the last valid content while the file is invalid", async () => {
  const { root, reader } = await newReader();
  const file = join(root, ".gastown", "runtimes.json");
  expect(await reader.registry()).toEqual({ runtimes: {} });
  await writeFile(file, '{ "runtimes": { "codex": { "bin": "/opt/codex" } } }');
  const registry = { runtimes: { codex: { bin: "/opt/codex" } } };
  expect(await reader.registry()).toEqual(registry);
  await writeFile(file, '{ "runtimes": { "codex"');
  expect(await reader.registry()).toEqual(registry);
});
