import { join } from "node:path";
import { homeDirectory } from "../../config/paths.ts";
import { chooseRuntime } from "../../containers/choose-runtime.ts";
import { buildFromDockerfile, buildFromThisMachine } from "../../containers/image/build-image.ts";
import { DEFAULT_IMAGE } from "../../containers/image/default-image.ts";
import { canonicalName } from "../../schema/built-in-runtimes.ts";
import { installedRuntime, packagedRuntime } from "../install/image-runtimes.ts";
import { createSpinner } from "../output/spinner.ts";
import { imageDirectory } from "../package-directories.ts";
import { openTerminal } from "../terminal.ts";

export interface ImageBuildOptions {
  /** With commas between. */
  readonly runtimes: string;
  readonly tag?: string;
  readonly base?: string;
  readonly offline?: boolean;
}

export async function imageBuild(options: ImageBuildOptions): Promise<number> {
  const terminal = openTerminal();
  const { env, err, out } = terminal;
  const { tag = DEFAULT_IMAGE, base, offline = false } = options;
  const names = options.runtimes
    .split(",")
    .filter((name) => name !== "")
    .map(canonicalName);
  const runtimesDir = join(homeDirectory(env), "runtimes");
  const packaged = await Promise.all(names.map(packagedRuntime));
  const installed = offline ? names.map((name) => installedRuntime(name, runtimesDir)) : [];
  const runtimes = await Promise.all(installed);
  const engine = await chooseRuntime(env);
  await err.write(`Making ${tag} with ${names.join(", ") || "no agents"} on ${engine.name}\n`);
  const spinner = terminal.isLively ? await createSpinner() : undefined;
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
