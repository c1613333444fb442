import { readFile } from "node:fs/promises";
import type { ContainerEngine, ProgressOptions } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import { sentence } from "../../../errors/sentence.ts";
import { type InstalledRuntime, packRootFilesystem } from "./root-filesystem.ts";
import { verifyPrograms } from "./verify-programs.ts";

/** A runtime that the Dockerfile installs from npm. */
export interface PackagedRuntime {
  /** The program's name in the image. */
  readonly name: string;
  /** The content of its package.json and package-lock.json, by file name. */
  readonly lockFiles: Readonly<Record<string, string>>;
  /** The program's possible paths below `node_modules`. The first program that runs in the image is linked. */
  readonly programs: readonly string[];
}

/** Builds the agent image from its Dockerfile. The engine needs access to a container registry and to npm. */
export async function buildFromDockerfile(
  engine: ContainerEngine,
  image: {
    readonly tag: string;
    /** The directory that contains the Dockerfile. */
    readonly directory: URL;
    readonly runtimes: readonly PackagedRuntime[];
    readonly base?: string | undefined;
  } & ProgressOptions,
): Promise<void> {
  const { tag, directory, runtimes, base, ...options } = image;
  const files = {
    Dockerfile: await readFile(new URL("Dockerfile", directory), "utf8"),
    "runtimes/install.sh": await readFile(new URL("install.sh", directory), "utf8"),
    ...Object.fromEntries(runtimes.flatMap(filesOf)),
  };
  const args = { ...(base !== undefined && { BASE: base }) };
  try {
    await engine.build({ tag, files, args, ...options });
  } catch (cause) {
    if (!(cause instanceof HalyardError && looksOffline(cause.message))) throw cause;
    throw new HalyardError(
      cause.code,
      `${sentence(cause.message)} If no registry can be reached, run "halyard image build --offline" to build the image from files on this machine.`,
      { cause },
    );
  }
  await verifyPrograms(engine, { tag, runtimes });
}

function filesOf({ name, lockFiles, programs }: PackagedRuntime) {
  const files = { ...lockFiles, programs: programs.map((path) => `${path}\n`).join("") };
  return Object.entries(files).map(([file, content]) => [`runtimes/${name}/${file}`, content]);
}

function looksOffline(message: string): boolean {
  return /registry|dial tcp|lookup|no such host|timeout|i\/o|pull|pinging|network/i.test(message);
}

/** Builds the agent image from files on this machine, without a registry or a network. */
export async function buildFromThisMachine(
  engine: ContainerEngine,
  image: {
    readonly tag: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly runtimes: readonly InstalledRuntime[];
  },
): Promise<void> {
  const { tag, ...options } = image;
  await using packed = await packRootFilesystem(options);
  const changes = [
    "ENV PATH=/usr/local/bin:/usr/bin:/bin",
    "ENV HOME=/home/agent",
    "USER 1000:1000",
  ];
  await engine.importImage(packed.tar, { tag, changes });
  await verifyPrograms(engine, image);
}
