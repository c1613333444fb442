import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedRuntime } from "../../src/cli/install/image-runtimes.ts";
import { buildFromThisMachine } from "../../src/hosts/container/image/build-image.ts";
import { runtimesDir } from "../real/runtimes-dir.ts";
import { startEngine, type TestEngine } from "./engines.ts";
import { TEST_IMAGE } from "./test-image.ts";

/** The programs that the tests require. If one is missing, the suite fails; it never skips tests. */
const needed = {
  docker: ["dockerd", "runc"],
  podman: ["podman", "runc", "netavark", "catatonit"],
} as const;

/** The agents in the image of each engine. */
const agents = {
  docker: ["pi", "codex", "opencode", "claude", "droid"],
  podman: ["pi", "codex"],
} as const;

/** Starts separate engines in a temporary directory, and builds an image in each from programs of this machine. */
export async function setup(): Promise<() => Promise<void>> {
  requirePrograms();
  const directory = await mkdtemp(join(tmpdir(), "halyard-engines-"));
  const engines: TestEngine[] = [];
  const end = async () => {
    for (const engine of engines) await engine[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (const name of ["docker", "podman"] as const) {
      const engine = await startEngine(name, join(directory, name));
      engines.push(engine);
      process.env[`HALYARD_TEST_${name.toUpperCase()}`] = engine.url;
    }
    await Promise.all(
      engines.map(async ({ name, runtime }) =>
        buildFromThisMachine(runtime, {
          tag: TEST_IMAGE,
          env: process.env,
          runtimes: await Promise.all(
            agents[name].map((one) => installedRuntime(one, runtimesDir)),
          ),
        }),
      ),
    );
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}

function requirePrograms(): void {
  const path = `${process.env.PATH}:/usr/sbin:/sbin:/usr/lib/podman`;
  const env = { ...process.env, PATH: path };
  const missing = Object.values(needed)
    .flat()
    .filter((program) => !isThere(program, env));
  if (process.getuid?.() !== 0)
    throw new Error('The container tests need root. Run "npm run test:containers" as root.');
  if (missing.length === 0) return;
  throw new Error(
    `Programs for the container tests are missing: ${missing.join(", ")}. To install them on Debian, ` +
      'run "apt-get install -y --no-install-recommends docker.io podman runc netavark aardvark-dns slirp4netns ' +
      'catatonit uidmap ripgrep".',
  );
}

function isThere(program: string, env: NodeJS.ProcessEnv): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$1"', "sh", program], { env, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
