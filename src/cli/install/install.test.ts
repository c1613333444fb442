import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { piPackage } from "../../adapters/versions.ts";

/** A user whose npm is a script. */
async function userWithNpm(script: string): Promise<User> {
  const user = await newUser();
  const bin = join(user.cwd, "bin");
  await mkdir(bin);
  const npm = join(bin, "npm");
  await writeFile(npm, `#!/bin/sh\necho "$@" >> "${user.cwd}/calls"\n${script}`);
  await chmod(npm, 0o755);
  return { ...user, env: { ...user.env, PATH: `${bin}:${user.env.PATH}` } };
}

const { name, version } = piPackage;
const fetches = `echo "npm http fetch GET 200 x" >&2
mkdir -p node_modules/${name}
echo '{"version": "${version}"}' > node_modules/${name}/package.json
`;

test("a runtime is fetched once, at the pinned version and without running scripts", async () => {
  const user = await userWithNpm(fetches);
  const first = await halyard(user, ["runtime", "install", "pi"]);
  expect(first).toMatchObject({ exitCode: 0, stdout: "" });
  const second = await halyard(user, ["runtime", "install", "pi"]);
  expect(second).toMatchObject({ exitCode: 0, stdout: "" });
  const calls = (await readFile(join(user.cwd, "calls"), "utf8")).trim().split("\n");
  expect(calls).toEqual([expect.stringMatching(`^install ${name}@${version} .*--ignore-scripts`)]);
  expect(await readdir(join(user.home, "runtimes"))).toEqual(["pi"]);
});

test("what npm complains of is passed on, and nothing is left behind", async () => {
  const user = await userWithNpm('echo "npm error code E404" >&2; exit 1');
  const { exitCode, stderr } = await halyard(user, ["runtime", "install", "pi"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(
    `${name}@${version} could not be fetched: (runtime_unavailable)\nnpm error code E404`,
  );
  expect(await readdir(join(user.home, "runtimes"))).toEqual([]);
});

test("without npm it says so", async () => {
  const user = await newUser({ PATH: "/nowhere" });
  const { exitCode, stderr } = await halyard(user, ["runtime", "install", "pi"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("npm cannot be run");
});

test("an interrupted installation ends npm and leaves nothing behind", async () => {
  const user = await userWithNpm("echo ready > started; exec sleep 60");
  const cli = new StartedCli(user, [process.execPath, program, "runtime", "install", "pi"]);
  const runtimes = join(user.home, "runtimes");
  const isStarted = async (): Promise<boolean> => {
    const files = await readdir(runtimes, { recursive: true }).catch(() => []);
    return files.some((file) => file.endsWith("started"));
  };
  await expect.poll(isStarted, { timeout: 10_000 }).toBe(true);
  cli.process.kill("SIGINT");
  expect(await cli.finished).toMatchObject({ exitCode: 130 });
  expect(await readdir(runtimes)).toEqual([]);
});

test("only what can be installed is", async () => {
  const { exitCode, stderr } = await halyard(await newUser(), ["runtime", "install", "emacs"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('"emacs" cannot be installed; what can be: ');
});
