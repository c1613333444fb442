import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodePackages, onDemandPackages } from "../dist/adapters/versions.js";

/**
 * Writes the lockfiles, with integrity hashes, of the runtimes and SDKs that Halyard installs on demand, and of the tools
 * that only the tests install. Exits with 1 if the registry lacks the package for a platform: on that platform the runtime
 * cannot be installed, because its hash is unknown. Arguments select lockfiles by directory name.
 */
const only = process.argv.slice(2);
/** @param {string} name */
const isSelected = (name) => only.length === 0 || only.includes(name);
const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {string[]} */
const gaps = [];
for (const [name, pinned] of onDemandPackages) {
  if (!isSelected(name)) continue;
  const dependencies = { [pinned.name]: pinned.version };
  await lock(join(root, "locks", name), { private: true, dependencies });
}
if (isSelected("node")) {
  const platforms = [...nodePackages.values()].map(({ name, version }) => [name, version]);
  const optionalDependencies = Object.fromEntries(platforms);
  await lock(join(root, "locks", "node"), { private: true, optionalDependencies });
}
const tools = join(root, "test", "real", "locks");
for (const name of await readdir(tools)) {
  if (!isSelected(name)) continue;
  const manifest = JSON.parse(await readFile(join(tools, name, "package.json"), "utf8"));
  await lock(join(tools, name), manifest);
}
for (const gap of gaps) process.stderr.write(`Not locked, because the registry lacks it: ${gap}\n`);
process.exitCode = gaps.length === 0 ? 0 : 1;

/**
 * @param {string} directory
 * @param {object} manifest
 */
async function lock(directory, manifest) {
  const staging = await mkdtemp(join(tmpdir(), "halyard-lock-"));
  try {
    await writeFile(join(staging, "package.json"), JSON.stringify(manifest));
    const flags = ["--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", ["install", ...flags], { cwd: staging });
    const text = await readFile(join(staging, "package-lock.json"), "utf8");
    const { name: _, ...lockfile } = JSON.parse(text);
    for (const [path, entry] of Object.entries(lockfile.packages)) {
      delete entry.resolved; // removed, because the user's npm settings select the registry
      delete entry.funding;
      delete entry.deprecated;
      delete entry.license;
      if (path !== "" && entry.integrity === undefined && entry.inBundle !== true)
        throw new Error(
          `npm did not write an integrity hash for ${path}. Use a registry that provides the hash.`,
        );
    }
    gaps.push(...removeGaps(lockfile.packages));
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(join(directory, "package-lock.json"), `${JSON.stringify(lockfile)}\n`);
    process.stderr.write(`Locked ${directory}\n`);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Removes the optional dependencies that the registry lacks: `npm ci` refuses a lockfile that mentions packages without
 * listing them.
 * @param {Record<string, { optionalDependencies?: Record<string, string> }>} packages
 */
function removeGaps(packages) {
  const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));
  const removed = [];
  for (const { optionalDependencies = {} } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (names.has(name)) continue;
      delete optionalDependencies[name];
      removed.push(`${name}@${version}`);
    }
  }
  return removed;
}
