import { join } from "node:path";
import { homeDirectory } from "../../config/paths.ts";
import { chooseEngine } from "../../hosts/container/engines/choose-engine.ts";
import {
  buildFromDockerfile,
  buildFromThisMachine,
} from "../../hosts/container/image/build-image.ts";
import { DEFAULT_IMAGE } from "../../hosts/container/image/default-image.ts";
import { canonicalName } from "../../schema/runtimes/built-in-runtimes.ts";
import { openConsole } from "../console/console.ts";
import { installedRuntime, packagedRuntime } from "../install/image-runtimes.ts";
import { createSpinner } from "../output/spinner.ts";
import { imageDirectory } from "../package-directories.ts";

export interface ImageBuildOptions {
  /** Names separated by commas. */
  readonly runtimes: string;
  readonly tag?: string;
  readonly base?: string;
  readonly offline?: boolean;
}

export async function imageBuild(options: ImageBuildOptions): Promise<number> {
  const console = openConsole();
  const { env, err, out } = console;
  const { tag = DEFAULT_IMAGE, base, offline = false } = options;
  const names = options.runtimes
    .split(",")
    .filter((name) => name !== "")
    .map(canonicalName);
  const runtimesDir = join(homeDirectory(env), "runtimes");
  const packaged = await Promise.all(names.map(packagedRuntime));
  const installed = offline ? names.map((name) => installedRuntime(name, runtimesDir)) : [];
  const runtimes = await Promise.all(installed);
  const engine = await chooseEngine(env);
  await err.write(`Building ${tag} with ${names.join(", ") || "no runtimes"} on ${engine.name}\n`);
  const spinner = console.canAnimate ? await createSpinner() : undefined;
  const onLine = (line: string) => spinner?.show(line.slice(0, 70));
  const directory = imageDirectory;
  try {
    if (offline) await buildFromThisMachine(engine, { tag, env, runtimes });
    else await buildFromDockerfile(engine, { tag, directory, runtimes: packaged, base, onLine });
  } finally {
    spinner?.hide();
  }
  await out.write(`${tag}\n`);
  return 0;
}
