import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { thisPlatform } from "../../programs/platform.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { NEWER_NODE, newerNodePrograms } from "../newer-node.ts";
import { piMode, probePi } from "./find.ts";

async function install(root: string, manifest: object): Promise<void> {
  const directory = join(root, "node_modules", "@earendil-works", "pi-coding-agent");
  await mkdir(directory, { recursive: true });
  const rest = { main: "./dist/index.js", bin: { pi: "dist/cli.js" } };
  await writeFile(join(directory, "package.json"), JSON.stringify({ ...manifest, ...rest }));
}

async function program(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}

const pathsIn = (runtimesDir: string, PATH = "/nonexistent") => ({ runtimesDir, env: { PATH } });

test("reports a missing Pi with a reason and a hint", async () => {
  const directory = await temporaryDirectory();
  expect(await probePi(pathsIn(join(directory, "runtimes")), directory)).toEqual({
    available: false,
    reason: "Pi is not installed",
    hint: 'run "halyard runtime install pi"',
  });
});

test("finds Pi in the directory where Halyard installs runtimes", async () => {
  const directory = await temporaryDirectory();
  await install(join(directory, "pi"), { version: "0.74.2", engines: { node: ">=20.6.0" } });
  expect(await probePi(pathsIn(directory), directory)).toEqual({
    available: true,
    version: "0.74.2",
    program: expect.stringContaining(join(directory, "pi")),
  });
});

test("skips a Pi that needs a newer Node, and reports the reason if there is no other Pi", async () => {
  const directory = await temporaryDirectory();
  await install(directory, { version: "9.0.0", engines: { node: ">=999.1" } });
  expect(await probePi(pathsIn(join(directory, "runtimes")), directory)).toMatchObject({
    available: false,
    reason: `Pi 9.0.0 needs Node >=999.1, but this is Node ${process.versions.node}`,
  });
  await install(join(directory, "runtimes", "pi"), { version: "0.74.2" });
  expect(await probePi(pathsIn(join(directory, "runtimes")), directory)).toMatchObject({
    version: "0.74.2",
  });
});

test("runs a Pi that needs a newer Node only as a process, with the Node that Halyard installed", async () => {
  const directory = await temporaryDirectory();
  const [path = ""] = newerNodePrograms(thisPlatform);
  const node = join(directory, NEWER_NODE, "node_modules", path);
  // The Node that runs this test satisfies the range only if it is 24.0 or later.
  await install(join(directory, "pi"), { version: "0.87.1", engines: { node: ">=24.0.0" } });
  const isOld = Number.parseInt(process.versions.node, 10) < 24;
  if (isOld)
    expect(await probePi(pathsIn(directory), directory)).toMatchObject({ available: false });
  await program(node, "");
  expect(await probePi(pathsIn(directory), directory)).toEqual({
    available: true,
    version: "0.87.1",
    program: expect.stringContaining(join(directory, "pi")),
    ...(isOld && { node }),
  });
  expect(await piMode(pathsIn(directory), directory)).toBe("rpc");
});

test("prefers the Pi on the user's PATH to Halyard's installation if a suitable Node is installed beside it", async () => {
  const directory = await temporaryDirectory();
  const runtimesDir = join(directory, "runtimes");
  const prefix = join(directory, "prefix");
  await install(join(runtimesDir, "pi"), { version: "0.74.2" });
  await install(join(prefix, "lib"), { version: "1.5.0", engines: { node: ">=999.1" } });
  const script = "lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js";
  await program(join(prefix, script), "");
  await mkdir(join(prefix, "bin"));
  await symlink(join("..", script), join(prefix, "bin", "pi"));
  const paths = pathsIn(runtimesDir, join(prefix, "bin"));
  expect(await probePi(paths, directory), "no Node for it").toMatchObject({ version: "0.74.2" });
  expect(await piMode(paths, directory)).toBe("sdk");
  const node = join(prefix, "bin", "node");
  await program(node, "echo v999.2.0");
  expect(await probePi(paths, directory)).toEqual({
    available: true,
    version: "1.5.0",
    program: join(prefix, script),
    node,
  });
  expect(await piMode(paths, directory)).toBe("rpc");
});

test("falls back to a compiled Pi on the PATH, and reports it as unavailable if it fails", async () => {
  const directory = await temporaryDirectory();
  const pi = join(directory, "bin", "pi");
  await program(pi, "echo 1.5.0");
  const paths = pathsIn(join(directory, "runtimes"), join(directory, "bin"));
  expect(await probePi(paths, directory)).toEqual({
    available: true,
    version: "1.5.0",
    program: pi,
  });
  expect(await piMode(paths, directory)).toBe("rpc");
  await program(pi, "echo no; exit 1");
  expect(await probePi(paths, directory)).toMatchObject({
    available: false,
    reason: expect.stringContaining("it exited with code 1"),
  });
});
