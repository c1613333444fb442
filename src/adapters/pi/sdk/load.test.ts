import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { probePi } from "./load.ts";

async function install(root: string, manifest: object): Promise<void> {
  const directory = join(root, "node_modules", "@earendil-works", "pi-coding-agent");
  await mkdir(directory, { recursive: true });
  const rest = { main: "./dist/index.js", bin: { pi: "dist/cli.js" } };
  await writeFile(join(directory, "package.json"), JSON.stringify({ ...manifest, ...rest }));
}

test("reports a missing Pi with a reason and a hint", async () => {
  const directory = await temporaryDirectory();
  expect(await probePi(join(directory, "runtimes"), directory)).toEqual({
    available: false,
    reason: "Pi is not installed",
    hint: "run: halyard runtime install pi",
  });
});

test("finds Pi in the directory where Halyard installs runtimes", async () => {
  const directory = await temporaryDirectory();
  await install(join(directory, "pi"), { version: "0.74.2", engines: { node: ">=20.6.0" } });
  expect(await probePi(directory, directory)).toEqual({
    available: true,
    version: "0.74.2",
    program: expect.stringContaining(join(directory, "pi")),
  });
});

test("skips a Pi that needs a newer Node, and reports it if there is no other", async () => {
  const directory = await temporaryDirectory();
  await install(directory, { version: "9.0.0", engines: { node: ">=999.1" } });
  expect(await probePi(join(directory, "runtimes"), directory)).toMatchObject({
    available: false,
    reason: `Pi 9.0.0 needs Node >=999.1, and this is ${process.versions.node}`,
  });
  await install(join(directory, "runtimes", "pi"), { version: "0.74.2" });
  expect(await probePi(join(directory, "runtimes"), directory)).toMatchObject({
    version: "0.74.2",
  });
});
