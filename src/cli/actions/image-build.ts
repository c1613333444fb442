import { join } from "node:path";
import { canonicalName } from "../../adapters/aliases.ts";
import { runtimePackages } from "../../adapters/versions.ts";
import { homeDirectory } from "../../config/paths.ts";
import { chooseRuntime } from "../../containers/choose-runtime.ts";
import { buildFromDockerfile, buildFromThisMachine } from "../../containers/image/build-image.ts";
import { DEFAULT_IMAGE } from "../../containers/image/default-image.ts";
import { HalyardError } from "../../core/error.ts";
import { agentDockerfile } from "../agent-dockerfile.ts";
import { createSpinner } from "../output/spinner.ts";
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
  const asked = options.runtimes.split(",").filter((name) => name !== "");
  const runtimes = asked.map(canonicalName);
  const packages = runtimes.map(packageOf);
  const engine = await chooseRuntime(env);
  await err.write(`Making ${tag} with ${runtimes.join(", ") || "no agents"} on ${engine.name}\n`);
  const spinner = terminal.isLively ? await createSpinner() : undefined;
  const onLine = (line: string) => spinner?.show(line.slice(0, 70));
  try {
    if (offline) {
      const runtimesDir = join(homeDirectory(env), "runtimes");
      await buildFromThisMachine(engine, { tag, env, runtimesDir, runtimes });
    } else {
      await buildFromDockerfile(engine, { tag, file: agentDockerfile, packages, base, onLine });
    }
  } finally {
    spinner?.hide();
  }
  await out.write(`${tag}\n`);
  return 0;
}

function packageOf(name: string): string {
  const pinned = runtimePackages.get(name);
  if (pinned !== undefined && name !== "ccsdk") return `${pinned.name}@${pinned.version}`;
  const known = [...runtimePackages.keys()].filter((one) => one !== "ccsdk").join(", ");
  throw new HalyardError(
    "unknown_runtime",
    `"${name}" cannot go into an image; what can: ${known}`,
  );
}
