import { chmod, chown, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { halyard, newUser, type User } from "../../../test/cli/start-cli.ts";
import { TEST_IMAGE } from "../../../test/containers/test-image.ts";
import { type EngineUnderTest, useEngine } from "../../../test/containers/use-engine.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";
import { programsFor } from "../../adapters/installed-program.ts";
import { codexPackage, piPackage } from "../../adapters/versions.ts";
import { thisPlatform } from "../../programs/platform.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

/** Creates a user who uses this engine and has installed runtimes. */
async function newUserOf({ env }: EngineUnderTest): Promise<User> {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const user = await newUser(Object.fromEntries(variables));
  await chown(user.cwd, 1000, 1000);
  await mkdir(user.home, { recursive: true });
  await symlink(runtimesDir, join(user.home, "runtimes"));
  return user;
}

describe("containers on the command line", { timeout: 120_000 }, () => {
  const docker = useEngine("docker");

  test("builds and checks an image without a registry, and runs an agent in it", async () => {
    const user = await newUserOf(docker);
    const tag = "localhost/halyard-agent:cli";
    const before = await halyard(user, ["container", "doctor", "--image", tag]);
    expect(before).toMatchObject({ exitCode: 3, stdout: expect.stringMatching(/build the image/) });
    const args = ["image", "build", "--offline", "--runtimes", "codex-cli", "--tag", tag];
    expect(await halyard(user, args)).toMatchObject({
      exitCode: 0,
      stdout: `${tag}\n`,
      stderr: expect.stringContaining("with codex on docker"), // the output contains the canonical name
    });
    const after = await halyard(user, ["container", "doctor", "--image", tag]);
    expect(after).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/was started/) });

    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const toolCalls = [codexToolCalls.shell("id -u > made")];
    model.on("work", { toolCalls }, { text: "Done." });
    const { id, baseUrl, apiKey } = model.endpoint("openai-responses");
    const endpoint = ["--base-url", baseUrl, "--api", "openai-responses", "--model", id];
    const hostFlags = ["--host", `container:${tag}`, "--network", "none", "--runtime", "codex"];
    const run = await halyard({ ...user, env: { ...user.env, HALYARD_API_KEY: apiKey } }, [
      "run",
      ...hostFlags,
      ...endpoint,
      "--format",
      "quiet",
      "work",
    ]);
    expect(run).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
    expect(await readFile(join(user.cwd, "made"), "utf8")).toBe("1000\n");
  });

  test("rejects runtimes that an image cannot contain or that are not installed", async () => {
    const user = await newUserOf(docker);
    const build = (runtimes: string) =>
      halyard(user, ["image", "build", "--offline", "--runtimes", runtimes]);
    expect(await build("emacs")).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/emacs.*Runtimes for images: claude, codex/),
    });
    const bare = { ...user, env: { ...user.env, HALYARD_HOME: join(user.home, "bare") } };
    const args = ["image", "build", "--offline", "--runtimes", "codex"];
    expect(await halyard(bare, args)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/halyard runtime install codex/),
    });
  });

  test("rejects an image in which a program does not run, and prints the program's output", async () => {
    const user = await newUserOf(docker);
    const home = join(user.home, "broken");
    const broken = join(home, "runtimes", "codex", "node_modules");
    const [path = ""] = await programsFor("codex", thisPlatform);
    await mkdir(dirname(join(broken, path)), { recursive: true });
    await writeFile(join(broken, path), "#!/bin/sh\necho no native binary; exit 7\n");
    await chmod(join(broken, path), 0o755);
    const args = ["image", "build", "--offline", "--runtimes", "codex", "--tag", "broken:test"];
    const result = await halyard({ ...user, env: { ...user.env, HALYARD_HOME: home } }, args);
    expect(result).toMatchObject({ exitCode: 3, stdout: "" });
    expect(result.stderr).toContain('"codex --version" failed');
    expect(result.stderr).toContain("exited with code 7: no native binary");
    expect(await docker.runtime.list({ "halyard.verify": "true" })).toEqual([]);
  });

  test("the Dockerfile installs pinned versions without scripts, links native programs, and creates a home for any user", async () => {
    const podman = useEngine("podman");
    const user = await newUserOf(podman);
    const base = "localhost/halyard-base:stub";
    // There is no registry: the test image contains the packages, and npm only records its arguments.
    const record = '#!/bin/sh\necho "$(basename "$0") $*" >> /ran\n';
    const Dockerfile =
      `FROM ${TEST_IMAGE}\nUSER root\nCOPY apt-get npm /usr/local/bin/\n` +
      "RUN cd /usr/local/bin && chmod 755 apt-get npm && rm codex pi\n";
    const npm = `${record}cat package.json >> /ran\n`;
    const files = { Dockerfile, npm, "apt-get": record };
    await podman.runtime.build({ tag: base, files, args: {} });
    const tag = "localhost/halyard-agent:stub";
    const args = ["image", "build", "--base", base, "--runtimes", "pi,codex", "--tag", tag];
    expect(await halyard(user, args)).toMatchObject({ exitCode: 0, stdout: `${tag}\n` });
    const probe =
      "FROM localhost/halyard-agent:stub\nUSER root\n" +
      "RUN cat /ran; stat -c %a /home/agent; readlink /usr/local/bin/codex\n";
    const lines: string[] = [];
    const onLine = (line: string) => lines.push(line);
    const built = { tag: `${tag}-probe`, files: { Dockerfile: probe }, args: {}, onLine };
    await podman.runtime.build(built);
    const output = lines.join("\n");
    expect(output).toMatch(/apt-get install .*ca-certificates git .*ripgrep/);
    expect(output).toMatch(/npm ci --ignore-scripts/);
    for (const { name, version } of [codexPackage, piPackage])
      expect(output).toContain(`"${name}": "${version}"`);
    expect(output).toMatch(/^\/opt\/halyard\/runtimes\/codex\/.*\/vendor\/.*\/bin\/codex$/m);
    expect(output).toMatch(/^1777$/m);
  });
});
