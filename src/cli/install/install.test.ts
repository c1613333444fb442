import { chmod, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { programsFor } from "../../adapters/installed-program.ts";
import { newerNodePackage, newerNodePrograms } from "../../adapters/newer-node.ts";
import {
  claudePackage,
  nodePackages,
  onDemandPackages,
  opencodePackage,
  piPackage,
} from "../../adapters/versions.ts";
import { satisfiesNode } from "../../programs/node-range.ts";
import { thisPlatform } from "../../programs/platform.ts";
import { locksDirectory } from "../package-directories.ts";

/** Creates a user whose npm is a script. */
async function userWithNpm(script: string): Promise<User> {
  const user = await newUser();
  const bin = join(user.cwd, "bin");
  await mkdir(bin);
  const npm = join(bin, "npm");
  await writeFile(npm, `#!/bin/sh\necho "$@" >> "${user.cwd}/calls"\n${script}`);
  await chmod(npm, 0o755);
  return { ...user, env: { ...user.env, PATH: `${bin}:${user.env.PATH}` } };
}

const { name, version } = opencodePackage;
const [path = ""] = await programsFor("opencode", thisPlatform);
const installs = `echo "npm http fetch GET 200 x" >&2
mkdir -p node_modules/${name} node_modules/${dirname(path)}
echo '{"version": "${version}"}' > node_modules/${name}/package.json
printf '#!/bin/sh\\necho ${version} >&2\\n' > node_modules/${path}
chmod 755 node_modules/${path}
`;

const callsOf = async ({ cwd }: User): Promise<string[]> =>
  (await readFile(join(cwd, "calls"), "utf8")).trim().split("\n");
const installedOf = ({ home }: User): Promise<string[]> => readdir(join(home, "runtimes"));

test("installs a runtime once, from its lockfile and without running scripts", async () => {
  const user = await userWithNpm(`${installs}cp package-lock.json "$0.lock"`);
  const first = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(first).toMatchObject({ exitCode: 0, stdout: "" });
  const second = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(second).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await callsOf(user)).toEqual([expect.stringMatching(/^ci .*--ignore-scripts/)]);
  expect(await installedOf(user)).toEqual(["opencode"]);
  const lock = await readFile(new URL("opencode/package-lock.json", locksDirectory), "utf8");
  expect(await readFile(join(user.cwd, "bin", "npm.lock"), "utf8")).toBe(lock);
  expect(await runWarm(user, ["runtime", "install", "--force", "opencode"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("Fetching"),
  });
  expect(await callsOf(user)).toHaveLength(2);
});

test("repairs an installation whose program does not run", async () => {
  const user = await userWithNpm(installs);
  await runWarm(user, ["runtime", "install", "opencode"]);
  const installed = join(user.home, "runtimes", "opencode", "node_modules", path);
  await writeFile(installed, "#!/bin/sh\necho half a program; exit 3\n");
  const repair = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(repair).toMatchObject({ exitCode: 0 });
  expect(repair.stderr).toMatch(/Installing opencode again: .*exited with code 3.*half a program/);
  expect(await readFile(installed, "utf8")).toContain(version);
});

test("keeps the earlier installation if the new one does not work", async () => {
  const user = await userWithNpm(`[ -e "$0.broken" ] && exit 0\n${installs}`);
  await runWarm(user, ["runtime", "install", "opencode"]);
  await writeFile(join(user.cwd, "bin", "npm.broken"), "");
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "--force", "opencode"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`Cannot install ${name} ${version}. It does not work on this machine`);
  await runWarm(user, ["runtime", "install", "opencode"]);
  expect(await callsOf(user)).toHaveLength(2); // the old installation still works
  expect(await installedOf(user)).toEqual(["opencode"]);
});

test("restores the installation if a process was killed while replacing it", async () => {
  const user = await userWithNpm(`[ -e "$0.broken" ] && exit 1\n${installs}`);
  await runWarm(user, ["runtime", "install", "opencode"]);
  const runtimes = join(user.home, "runtimes");
  await rename(join(runtimes, "opencode"), join(runtimes, ".opencode-previous"));
  await writeFile(join(user.cwd, "bin", "npm.broken"), "");
  await runWarm(user, ["runtime", "install", "--force", "opencode"]);
  expect(await installedOf(user)).toEqual(["opencode"]);
  expect(await runWarm(user, ["runtime", "install", "opencode"])).toMatchObject({ exitCode: 0 });
});

test("fails if npm omits the package with the program, as it does if the hash differs", async () => {
  const user = await userWithNpm(`${installs}rm node_modules/${path}`);
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/it has no program for .*its hash differs from the lockfile/);
  expect(await installedOf(user)).toEqual([]);
});

test("upgrades an installation from another lockfile, and uninstalls it", async () => {
  const user = await userWithNpm(installs);
  const missing = await runWarm(user, ["runtime", "upgrade", "opencode"]);
  expect(missing).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("has not installed"),
  });
  await runWarm(user, ["runtime", "install", "opencode"]);
  await writeFile(join(user.home, "runtimes", "opencode", "package-lock.json"), "{}");
  expect(await runWarm(user, ["runtime", "upgrade"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("not installed from the lockfile"),
  });
  expect(await runWarm(user, ["runtime", "upgrade"])).toMatchObject({ exitCode: 0 });
  expect(await callsOf(user)).toHaveLength(2);
  expect(await runWarm(user, ["runtime", "uninstall", "opencode"])).toMatchObject({ exitCode: 0 });
  expect(await installedOf(user)).toEqual([]);
  expect(await runWarm(user, ["runtime", "uninstall", "opencode"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("has not installed opencode"),
  });
});

const isOld = !satisfiesNode(process.versions.node, piPackage.needsNode ?? "");
const node = newerNodePackage(thisPlatform);
const [nodePath = ""] = newerNodePrograms(thisPlatform);

test.runIf(isOld && node !== undefined)(
  "installs a newer Node beside Pi, runs Pi with it, and removes both",
  async () => {
    const user = await userWithNpm(`echo "npm http fetch GET 200 x" >&2
if grep -q node-linux package.json; then
mkdir -p node_modules/${dirname(nodePath)}
echo '{"version": "${node?.version}"}' > node_modules/${node?.name}/package.json
printf '#!/bin/sh\\nHALYARD_NEWER=1 exec ${process.execPath} "$@"\\n' > node_modules/${nodePath}
chmod 755 node_modules/${nodePath}
else
mkdir -p node_modules/${piPackage.name} node_modules/.bin
echo '{"version": "${piPackage.version}", "main": "x", "bin": {"pi": "pi.js"},
  "engines": {"node": "${piPackage.needsNode}"}}' > node_modules/${piPackage.name}/package.json
echo 'console.log(process.env.HALYARD_NEWER ? "${piPackage.version}" : "too old")' > node_modules/${piPackage.name}/pi.js
chmod 755 node_modules/${piPackage.name}/pi.js
ln -s ../${piPackage.name}/pi.js node_modules/.bin/pi
fi
`);
    expect(await runWarm(user, ["runtime", "install", "pi"])).toMatchObject({ exitCode: 0 });
    expect((await installedOf(user)).toSorted()).toEqual(["node", "pi"]);
    expect(await runWarm(user, ["runtime", "install", "pi"])).toMatchObject({ exitCode: 0 });
    expect(await callsOf(user)).toHaveLength(2);
    expect(await runWarm(user, ["runtime", "uninstall", "pi"])).toMatchObject({ exitCode: 0 });
    expect(await installedOf(user)).toEqual([]);
  },
);

test("installs once for three concurrent processes, and removes a killed process's files", async () => {
  const user = await userWithNpm(`sleep 1\n${installs}`);
  const runtimes = join(user.home, "runtimes");
  await mkdir(join(runtimes, ".opencode-aB3dE6", "node_modules"), { recursive: true });
  await mkdir(join(runtimes, ".opencode.lock"));
  const dead = { pid: 1, startTime: "never", bootId: "another" };
  await writeFile(join(runtimes, ".opencode.lock", "dead.claim"), JSON.stringify(dead));
  const three = [1, 2, 3].map(() => runWarm(user, ["runtime", "install", "opencode"]));
  for (const one of await Promise.all(three)) expect(one).toMatchObject({ exitCode: 0 });
  expect(await callsOf(user)).toHaveLength(1);
  expect(await installedOf(user)).toEqual(["opencode"]);
});

test("prints why npm failed and leaves no files", async () => {
  const user = await userWithNpm(
    'echo "npm error code E404\nnpm error 404 no such package\nnpm error A complete log of this run can be found in: x" >&2; exit 1',
  );
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`Cannot install ${name} ${version}. The npm registry does not have`);
  expect(stderr).toContain("404 no such package");
  expect(stderr).not.toContain("complete log");
  expect(await installedOf(user)).toEqual([]);
});

test("reports that npm cannot be run if npm is missing", async () => {
  const user = await newUser({ PATH: "/nowhere" });
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "opencode"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("npm cannot be run");
});

test("reports a home that cannot be written to as store_failed", async () => {
  const user = await userWithNpm(installs);
  await writeFile(join(user.cwd, "file"), "");
  const env = { ...user.env, HALYARD_HOME: join(user.cwd, "file", "home") };
  const { exitCode, stderr } = await runWarm({ ...user, env }, ["runtime", "install", "opencode"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /Cannot install .*set HALYARD_HOME .*to choose another one\. \(store_failed\)/,
  );
});

test("kills npm and leaves no files when interrupted", async () => {
  const user = await userWithNpm("echo ready > started; exec sleep 60");
  const cli = new StartedCli(user, [process.execPath, program, "runtime", "install", "opencode"]);
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

test("rejects a runtime that Halyard cannot install", async () => {
  const { exitCode, stderr } = await runWarm(await newUser(), ["runtime", "install", "emacs"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('Halyard cannot install "emacs". Installable runtimes: ');
});

/** Creates a user with this npm registry and an empty npm cache. */
async function userOf(registry: string): Promise<User> {
  const user = await newUser();
  const cache = join(user.cwd, "cache");
  return { ...user, env: { ...user.env, npm_config_registry: registry, npm_config_cache: cache } };
}

test("fails within seconds and names the cause if the registry cannot be reached", async () => {
  const user = await userOf("http://127.0.0.1:9/");
  const startedAt = performance.now();
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "claude"]);
  expect(performance.now() - startedAt).toBeLessThan(25_000); // npm's own retries take 70 s
  expect(exitCode).toBe(3);
  expect(stderr).toContain("The npm registry cannot be reached");
  expect(stderr).toContain("ECONNREFUSED");
  expect(await installedOf(user)).toEqual([]);
});

test("rejects a package whose hash differs from the lockfile", async () => {
  const tarball = gzipSync(Buffer.alloc(1024)); // a tarball with an empty archive
  const server = createServer((request, response) => {
    const { host } = request.headers;
    if (request.url?.endsWith(".tgz")) return void response.end(tarball);
    const dist = { tarball: `http://${host}${request.url}/-/package.tgz` };
    const versions = { [claudePackage.version]: { version: claudePackage.version, dist } };
    response.end(
      JSON.stringify({ name: decodeURIComponent(request.url ?? "").slice(1), versions }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const user = await userOf(`http://127.0.0.1:${address.port}/`);
  const { exitCode, stderr } = await runWarm(user, ["runtime", "install", "claude"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("its hash differs from the lockfile");
  expect(stderr).toContain("EINTEGRITY");
  expect(await installedOf(user)).toEqual([]);
});

test("the Node lockfile pins a package and its hash for each platform", async () => {
  const text = await readFile(new URL("node/package-lock.json", locksDirectory), "utf8");
  const { packages } = JSON.parse(text);
  for (const { name, version } of nodePackages.values())
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version,
      integrity: expect.stringMatching(/^sha512-/),
    });
});

test.each([...onDemandPackages])(
  "the %s lockfile pins the version and every hash",
  async (name, pinned) => {
    const lock = new URL(`${name}/`, locksDirectory);
    const read = async (file: string) => JSON.parse(await readFile(new URL(file, lock), "utf8"));
    const { dependencies } = await read("package.json");
    expect(dependencies).toEqual({ [pinned.name]: pinned.version });
    const { packages } = await read("package-lock.json");
    const { "": root, ...locked } = packages;
    expect(root.dependencies).toEqual(dependencies);
    for (const [path, entry] of Object.entries<Record<string, unknown>>(locked)) {
      expect(entry, path).not.toHaveProperty("resolved");
      if (entry.inBundle !== true) expect(entry.integrity, path).toMatch(/^sha512-/);
    }
  },
);

test.each([
  [["runtime", "install", "opencode"]],
  [["runtime", "set", "default", "pi"]],
  [["trust"]],
])("%j fails if Halyard's home cannot be created", async (args) => {
  const user = await userWithNpm(installs);
  // Every mkdir in /proc fails with ENOENT, for which Node's recursive mkdir never returns.
  const env = { ...user.env, HALYARD_HOME: "/proc/halyard" };
  const { exitCode, stderr } = await runWarm({ ...user, env }, args);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/\/proc\/halyard.*store_failed/)]);
});
