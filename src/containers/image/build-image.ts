import { readFile } from "node:fs/promises";
import { HalyardError } from "../../core/error.ts";
import type { ContainerRuntime, ProgressOptions } from "../container-runtime.ts";
import { packRootFilesystem, type RootFilesystemOptions } from "./root-filesystem.ts";

/** Makes the agents' image from its Dockerfile, for which the engine needs a registry and a way to npm. */
export async function buildFromDockerfile(
  engine: ContainerRuntime,
  image: {
    readonly tag: string;
    /** Where the Dockerfile is. */
    readonly file: URL;
    /** As npm takes them, each with its version. */
    readonly packages: readonly string[];
    readonly base?: string | undefined;
  } & ProgressOptions,
): Promise<void> {
  const { tag, file, packages, base, ...options } = image;
  const Dockerfile = await readFile(file, "utf8");
  const args = { PACKAGES: packages.join(" "), ...(base !== undefined && { BASE: base }) };
  try {
    await engine.build({ tag, files: { Dockerfile }, args, ...options });
  } catch (cause) {
    if (!(cause instanceof HalyardError && looksOffline(cause.message))) throw cause;
    throw new HalyardError(
      cause.code,
      `${cause.message}. Where no registry can be reached, \`halyard image build --offline\` makes the image of this machine's own files.`,
      { cause },
    );
  }
}

function looksOffline(message: string): boolean {
  return /registry|dial tcp|lookup|no such host|timeout|i\/o|pull|pinging|network/i.test(message);
}

/** Makes it of this machine's own files: no registry, no network. */
export async function buildFromThisMachine(
  engine: ContainerRuntime,
  { tag, ...options }: { readonly tag: string } & RootFilesystemOptions,
): Promise<void> {
  await using packed = await packRootFilesystem(options);
  const changes = [
    "ENV PATH=/usr/local/bin:/usr/bin:/bin",
    "ENV HOME=/home/agent",
    "USER 1000:1000",
  ];
  await engine.importImage(packed.tar, { tag, changes });
}
