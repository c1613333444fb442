import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { findProgram, type ProgramSearch, packageVersion, probeProgram } from "./program.ts";

/** Creates a machine with these programs on the PATH and in Halyard's home. */
async function machine(files: { own?: string; installed?: string }) {
  const directory = await temporaryDirectory();
  const add = async (location: string, version: string | undefined) => {
    const file = join(directory, location, "agent");
    await mkdir(join(directory, location));
    if (version === undefined) return undefined;
    await writeFile(file, version);
    await chmod(file, 0o755);
    return { file, version };
  };
  const own = await add("bin", files.own);
  const installed = await add("home", files.installed);
  const search: ProgramSearch = {
    displayName: "Agent",
    command: "agent",
    oldest: "1.10.0",
    env: { PATH: `relative:${join(directory, "bin")}` },
    describe: async (file) => ({ file, ...(own && { version: own.version }) }),
    installed: async () => installed,
    hint: "install it",
  };
  return { search, own, installed, directory };
}

test("prefers the user's own program if it is new enough", async () => {
  const { search, own } = await machine({ own: "1.10.0", installed: "2.0.0" });
  expect(await findProgram(search)).toEqual(own);
});

test("uses the installed program if the user's own is too old", async () => {
  const { search, installed } = await machine({ own: "1.9.9", installed: "2.0.0" });
  expect(await findProgram(search)).toEqual(installed);
});

test("uses the installed program if the version of the user's program is unknown", async () => {
  const { search, installed } = await machine({ own: "#!/bin/sh\n", installed: "2.0.0" });
  const describe: ProgramSearch["describe"] = async (file) => ({ file });
  expect(await findProgram({ ...search, describe })).toEqual(installed);
});

test("runs a program of unknown version to read its version if there is no other program", async () => {
  const describe: ProgramSearch["describe"] = async (file) => ({ file });
  const probe = async (script: string) => {
    const { search } = await machine({ own: `#!/bin/sh\n${script}\n` });
    return probeProgram({ ...search, describe });
  };
  expect(await probe("echo agent 1.10.1")).toMatchObject({ available: true, version: "1.10.1" });
  for (const [script, reason] of [
    ["echo 1.9.0", /is Agent 1\.9\.0, but the oldest supported version is 1\.10\.0/],
    ["echo no native binary; exit 1", /exited with code 1\. Its output: no native binary/],
    ["kill -9 $$", /killed by SIGKILL/],
    ["true", /printed no version/],
  ] as const)
    expect(await probe(script)).toMatchObject({
      available: false,
      reason: expect.stringMatching(reason),
    });
});

test("accepts any version if no minimum version is set", async () => {
  const { search, own } = await machine({ own: "not a program" });
  const { oldest: _, ...any } = search;
  const describe: ProgramSearch["describe"] = async (file) => ({ file });
  expect(await findProgram({ ...any, describe })).toEqual({ file: own?.file });
});

test("reports that the only program is too old", async () => {
  const { search } = await machine({ own: "1.9.9" });
  expect(await probeProgram(search)).toMatchObject({
    available: false,
    reason: expect.stringMatching(/is Agent 1\.9\.9, but the oldest supported version is 1\.10\.0/),
    hint: "install it",
  });
});

test("reports that the program is not installed", async () => {
  const { search } = await machine({});
  const availability = { available: false, reason: "Agent is not installed", hint: "install it" };
  expect(await probeProgram(search)).toEqual(availability);
});

test("uses only the requested program, and rejects if it does not exist", async () => {
  const { search, own } = await machine({ own: "1.0.0", installed: "2.0.0" });
  expect(await findProgram({ ...search, bin: own?.file })).toEqual(own);
  const advice = "Check the path of the program, or install it.";
  await expect(findProgram({ ...search, bin: "other-agent" })).rejects.toMatchObject({
    message: `Cannot start the runtime: the program other-agent does not exist. ${advice}`,
  });
  await expect(findProgram({ ...search, bin: "/no/such" })).rejects.toMatchObject({
    code: "runtime_unavailable",
    message: `Cannot start the runtime: the program /no/such does not exist. ${advice}`,
  });
});

test("resolves the usual name to the program on the PATH, or else to the installed program", async () => {
  const both = await machine({ own: "1.10.0", installed: "2.0.0" });
  expect(await findProgram({ ...both.search, bin: "agent" })).toEqual(both.own);
  const { search, installed } = await machine({ installed: "2.0.0" });
  expect(await findProgram({ ...search, bin: "agent" })).toEqual(installed);
});

test("ignores a file that is not executable", async () => {
  const { search, directory } = await machine({ own: "1.10.0" });
  await chmod(join(directory, "bin", "agent"), 0o644);
  expect(await probeProgram(search)).toMatchObject({ available: false });
});

test("reads the version only from the manifest of the matching package", async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, "package.json"), '{ "name": "agent", "version": "3.2.1" }');
  expect(packageVersion(directory, /^agent$/)).toBe("3.2.1");
  expect(packageVersion(directory, /^other$/)).toBeUndefined();
  expect(packageVersion(join(directory, "none"), /./)).toBeUndefined();
});
