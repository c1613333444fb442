import { randomUUID } from "node:crypto";
import type { ContainerEngine, ContainerSpec } from "../../../contracts/container-engine.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { sentence } from "../../../errors/sentence.ts";

/** Rejects with `runtime_unavailable` unless every runtime in the image prints its version in a container. */
export async function verifyPrograms(
  engine: ContainerEngine,
  { tag, runtimes }: { readonly tag: string; readonly runtimes: readonly { name: string }[] },
): Promise<void> {
  if (runtimes.length === 0) return;
  const name = `halyard-verify-${randomUUID()}`;
  try {
    const container = await engine.create({ ...spec, name, image: tag });
    await engine.start(container);
    for (const { name: program } of runtimes) {
      const problem = await tryVersion(engine, container, program);
      if (problem === undefined) continue;
      throw new HalyardError(
        "runtime_unavailable",
        `The image ${tag} is not usable: "${program} --version" failed in it. ${problem} Check the installation of ${program}, and build the image again.`,
      );
    }
  } finally {
    await engine.remove(name).catch(() => {}); // fails if the container was not created
  }
}

async function tryVersion(
  engine: ContainerEngine,
  container: string,
  program: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const result = await engine.exec(container, { args: [program, "--version"] }, { signal });
    const output = `${result.stdout}${result.stderr}`.trim(); // some programs print the version to stderr
    if (result.code !== 0) return `It exited with code ${result.code}: ${output || "no output"}.`;
    return output === "" ? "It printed nothing." : undefined;
  } catch (error) {
    if (signal.aborted) return `It did not exit within ${TIMEOUT_MS / 1000} s.`;
    return sentence(reasonOf(error));
  }
}

const TIMEOUT_MS = 60_000;
const IN_MEMORY = "rw,exec,nosuid,nodev,size=256m,mode=1777";

const spec: Omit<ContainerSpec, "name" | "image"> = {
  command: ["sleep", "600"],
  labels: { "halyard.verify": "true" },
  env: { HOME: "/home/agent" },
  user: "1000:1000",
  workdir: "/",
  mounts: [],
  tmpfs: { "/tmp": IN_MEMORY, "/home/agent": IN_MEMORY },
  network: "none",
  readOnlyRoot: true,
  memoryBytes: 2 * 1024 * 1024 * 1024,
  cpus: 1,
  pids: 256,
};
