import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { constants, copyFile, lstat, mkdir, open, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { isWithin } from "../../files/is-within.ts";
import type { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";

/** The directories of a worktree that is being set up. */
export interface SetUpPaths {
  /** The root of the repository from which files are copied. */
  readonly repository: string;
  /** The worktree's root. */
  readonly path: string;
}

/**
 * Copies the configured files that exist and are not in the worktree yet. Skips links, and files in a directory that a
 * link places outside the repository or the worktree. Returns the copies' paths with the hashes of their content.
 */
export async function copyFiles(
  { copy = [] }: WorktreeSettings,
  { repository, path }: SetUpPaths,
): Promise<Record<string, string>> {
  const copied: Record<string, string> = {};
  for (const name of copy) {
    const source = join(repository, name);
    const target = join(path, name);
    if (!(await lstat(source).catch(() => undefined))?.isFile()) continue;
    await mkdir(dirname(target), { recursive: true });
    const parents = [dirname(source), dirname(target)].map((directory) => realpath(directory));
    const [from = "", to = ""] = await Promise.all(parents);
    // prevents a copy through a link that leads out of the repository or the worktree
    if (!isWithin(from, repository) || !isWithin(to, await realpath(path))) continue;
    try {
      await copyFile(source, target, constants.COPYFILE_EXCL);
      copied[name] = await hashOf(target);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  return copied;
}

/** Returns the SHA-256 hash of a file's content, or an empty string if the file cannot be read. */
export async function hashOf(file: string): Promise<string> {
  const content = await readFile(file).catch(() => undefined);
  return content === undefined ? "" : createHash("sha256").update(content).digest("hex");
}

/**
 * Runs the configured setup command in the worktree. If the command fails or exceeds its time limit, rejects with
 * `start_failed` and the end of its output.
 */
export async function runSetUp(
  { setup, setupSeconds = 600 }: WorktreeSettings,
  { path }: SetUpPaths,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  if (setup === undefined) return;
  const [file = "", ...args] = setup;
  const log = `${path}.log`;
  await using output = await open(log, "w", 0o600);
  const child = spawn(file, args, {
    cwd: path,
    env,
    stdio: ["ignore", output.fd, output.fd],
    detached: true, // a separate process group, so that all its processes can be killed
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, setupSeconds * 1000);
  try {
    const [code, signal] = await once(child, "close");
    if (code === 0) return;
    const how = signal ? `was killed by ${signal}` : `exited with code ${code}`;
    const problem = isLate ? `did not finish within ${setupSeconds} s` : how;
    throw failure(`${setup.join(" ")} ${problem}: ${await endOf(log)}`);
  } catch (error) {
    throw error instanceof HalyardError ? error : failure(`${setup.join(" ")} cannot run`, error);
  } finally {
    clearTimeout(timer);
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Ignored, because the process has exited.
  }
}

async function endOf(log: string): Promise<string> {
  return (await readFile(log, "utf8")).trim().slice(-OUTPUT);
}

const OUTPUT = 1000;

function failure(problem: string, cause?: unknown): HalyardError {
  return new HalyardError(
    "start_failed",
    `The worktree could not be set up: ${problem}. Check worktree.setup in the configuration.`,
    {
      cause,
    },
  );
}
