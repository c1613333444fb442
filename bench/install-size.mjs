import { execFile } from "node:child_process";
import { lstat, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inTemporaryDirectory } from "./parts/resources.mjs";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../", import.meta.url));

/** The size of acpx, the smallest comparable JavaScript package. */
const TARGET_MB = 48;

/** Measures the disk space of the package and its dependencies, without runtimes. Requires the npm registry. */
export function measure() {
  return inTemporaryDirectory(async (directory) => {
    const packArgs = ["pack", "--ignore-scripts", "--json", "--pack-destination", directory];
    const { stdout } = await run("npm", packArgs, { cwd: repository });
    const [{ filename, unpackedSize }] = JSON.parse(stdout);
    await writeFile(join(directory, "package.json"), JSON.stringify({ private: true }));
    const omit = ["--omit=optional", "--omit=peer", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", join(directory, filename), ...omit], { cwd: directory });
    const megabytes = (await sizeOf(join(directory, "node_modules"))) / 1024 / 1024;
    return [
      {
        figure: "install without runtimes",
        ours: `${megabytes.toFixed(1)} MB`,
        beside: "48 MB acpx, 34 MB sandbox-agent",
        target: `< ${TARGET_MB} MB`,
        isMet: megabytes < TARGET_MB,
        data: { megabytes, unpackedSize },
      },
    ];
  });
}

/**
 * Counts disk blocks, as `du` does.
 * @param {string} path
 * @returns {Promise<number>}
 */
async function sizeOf(path) {
  const { blocks } = await lstat(path);
  let bytes = blocks * 512;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    bytes += entry.isDirectory() ? await sizeOf(child) : (await lstat(child)).blocks * 512;
  }
  return bytes;
}
