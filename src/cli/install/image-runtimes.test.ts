import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { programsFor } from "../../adapters/installed-program.ts";
import { NEWER_NODE, newerNodePrograms, nodeFor } from "../../adapters/newer-node.ts";
import { runtimePackages } from "../../adapters/versions.ts";
import { thisPlatform } from "../../programs/platform.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { imageDirectory } from "../package-directories.ts";
import { installedRuntime, packagedRuntime } from "./image-runtimes.ts";

async function program(file: string, script: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const names = [...runtimePackages.keys()].filter((name) => name !== "ccsdk");

test.each(names)(
  "returns the installed %s program for an image, and rejects if it is not installed",
  async (name) => {
    const runtimesDir = await temporaryDirectory();
    const directory = join(runtimesDir, name);
    const missing = installedRuntime(name, runtimesDir);
    await expect(missing).rejects.toMatchObject({ code: "runtime_unavailable" });
    const [path = ""] = await programsFor(name, thisPlatform);
    const native = await program(join(directory, "node_modules", path), "");
    const [nodePath = ""] = newerNodePrograms(thisPlatform);
    const newer = await program(join(runtimesDir, NEWER_NODE, "node_modules", nodePath), "");
    const node = nodeFor(runtimePackages.get(name)?.needsNode, runtimesDir);
    expect(await installedRuntime(name, runtimesDir)).toEqual({
      name,
      directory,
      program: native,
      ...(node === newer && { node }),
    });
  },
);

test.each(["ccsdk", "emacs"])("rejects %s, which an image cannot contain", async (name) => {
  await expect(packagedRuntime(name)).rejects.toMatchObject({ code: "unknown_runtime" });
  await expect(installedRuntime(name, "/")).rejects.toMatchObject({ code: "unknown_runtime" });
});

test("a packaged runtime lists the programs for every Linux platform", async () => {
  const { programs } = await packagedRuntime("opencode");
  expect(programs).toHaveLength(new Set(programs).size);
  for (const build of ["x64", "x64-baseline", "x64-musl", "arm64", "arm64-musl"])
    expect(programs).toContain(`opencode-linux-${build}/bin/opencode`);
});

/** Creates a build context with one runtime whose npm packages contain these programs (scripts by path). */
async function contextWith(packages: Record<string, string>) {
  const root = await temporaryDirectory();
  const runtime = join(root, "runtimes", "agent");
  const tools = join(root, "tools");
  await mkdir(runtime, { recursive: true });
  await mkdir(join(root, "bin"));
  await cp(new URL("install.sh", imageDirectory), join(root, "runtimes", "install.sh"));
  await writeFile(join(runtime, "package.json"), "{}");
  await writeFile(join(runtime, "programs"), "absent\nbroken\nnative\n");
  for (const [path, script] of Object.entries(packages))
    await program(join(root, "registry", path), script);
  await program(join(tools, "npm"), `echo "$@" > ${root}/npm; cp -a ${root}/registry node_modules`);
  const env = { PATH: `${tools}:${process.env.PATH}`, BIN: join(root, "bin") };
  const install = () => promisify(execFile)("sh", [join(root, "runtimes", "install.sh")], { env });
  return { install, link: join(root, "bin", "agent"), runtime };
}

test("the image links the first program that runs in it", async () => {
  const { install, link, runtime } = await contextWith({
    broken: "echo wrong processor; exit 1",
    native: "cat; echo 1.0",
  });
  const { stderr } = await install();
  expect(stderr).toContain("wrong processor");
  expect(await readlink(link)).toBe(join(runtime, "node_modules", "native"));
});

test("does not build an image in which none of a runtime's programs runs", async () => {
  const { install } = await contextWith({ broken: "echo postinstall was not run; exit 1" });
  await expect(install()).rejects.toMatchObject({
    stderr: expect.stringContaining(
      'postinstall was not run\nagent has no program that runs in this image. Run "halyard image build" with another --base, or without agent in --runtimes.\n',
    ),
  });
});
