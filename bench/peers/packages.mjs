import { execFile } from "node:child_process";
import { access, lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The directory in which the peers are installed from npm once, at pinned versions. */
export const scratch =
  process.env.HALYARD_BENCH_PEERS ?? join(homedir(), ".cache", "halyard-bench-peers");

/** The package of a Node that is new enough for all peers. Every subject runs on this Node. */
const nodePackage = `node-${process.platform}-${process.arch}`;

/** @type {Record<string, string[]>} */
const packages = {
  node: [`${nodePackage}@24.21.0`],
  "sandbox-agent": ["sandbox-agent@0.4.2"],
  acpx: ["acpx@0.19.1"],
  // The last four are dependencies of the harness's bridge.
  harness: [
    "@ai-sdk/harness@1.0.122",
    "@ai-sdk/harness-acp@1.0.38",
    "@agentclientprotocol/sdk@1.4.0",
    "@modelcontextprotocol/sdk@1.30.0",
    "ws@8.21.0",
    "zod@4.4.3",
  ],
};

export const node = join(scratch, "node", "node_modules", nodePackage, "bin", "node");

/**
 * Returns a path in the directory of a peer's packages.
 * @param {string} peer
 * @param {string[]} path
 */
export function inPackages(peer, ...path) {
  return join(scratch, peer, "node_modules", ...path);
}

/**
 * Installs missing peers. Skips a peer that cannot be installed.
 * @returns {Promise<Map<string, string>>} The error of each peer that could not be installed.
 */
export async function fetchPeers() {
  const missing = new Map();
  for (const [peer, specs] of Object.entries(packages)) {
    const directory = join(scratch, peer);
    const done = join(directory, specs.join("+").replaceAll("/", "_"));
    if (await isThere(done)) continue;
    process.stderr.write(`Installing ${specs.join(", ")} …\n`);
    try {
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, "package.json"), '{ "private": true }\n');
      const args = ["install", ...specs, "--no-audit", "--no-fund", "--loglevel=error"];
      await promisify(execFile)("npm", args, { cwd: directory });
      await writeFile(done, "");
    } catch (error) {
      missing.set(peer, error instanceof Error ? error.message : String(error));
    }
  }
  return missing;
}

/** @param {string} file */
async function isThere(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the disk space of a directory, in MB.
 * @param {string} directory
 * @returns {Promise<number>}
 */
export async function megabytes(directory) {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += (await megabytes(path)) * 1024 * 1024;
    else bytes += (await lstat(path)).blocks * 512;
  }
  return bytes / 1024 / 1024;
}
