import { spawn } from "node:child_process";
import { reasonOf } from "../../errors/error.ts";
import type { Environment } from "../../programs/environment.ts";
import type { GitSetting } from "../../programs/git-settings.ts";
import {
  driversOff,
  fixedSettings,
  gitEnvironment,
  remoteEnvironment,
  remoteSettings,
} from "./git-environment.ts";

/** The directories and files that a git command works on. Git discovers none of them on its own. */
export interface GitPaths {
  /** The git directory: the `.git` of a repository or a worktree, or a private one. */
  readonly gitDir: string;
  /** The root of the working tree. Defaults to `cwd`. */
  readonly workTree?: string | undefined;
  /** The index file. Defaults to the git directory's index. */
  readonly index?: string | undefined;
  /** The directory to which objects are written. Defaults to the git directory's `objects`. */
  readonly objects?: string | undefined;
  /**
   * True if only Halyard writes to the git directory. Otherwise, a second git process lists the filters and merge
   * drivers in the configuration, so that they can be disabled. Defaults to false.
   */
  readonly isPrivate?: boolean | undefined;
  /** The result of `sharedDrivers`, which makes the second process unnecessary. */
  readonly drivers?: readonly GitSetting[] | undefined;
}

/** Options for `runGit`. */
export interface GitOptions extends GitPaths {
  /**
   * The caller's environment. Unless `reachesRemote` is set, git receives only `PATH`, the directory for temporary
   * files, and variables that Windows needs.
   */
  readonly env: Environment;
  /** The directory in which git runs. Defaults to `workTree`, otherwise to `gitDir`. */
  readonly cwd?: string | undefined;
  /** The directory that `~` refers to in the configuration. Defaults to none. */
  readonly home?: string | undefined;
  /**
   * True to let git access a remote repository, with the user's keys and credential helpers. A repository's hooks still
   * do not run. Defaults to false.
   */
  readonly reachesRemote?: boolean | undefined;
  /** Settings for this command, by name. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Text or bytes to write to git's standard input. */
  readonly input?: string | Buffer | undefined;
  /** Exit codes that are not failures. Defaults to 0 only. */
  readonly exitCodes?: readonly number[] | undefined;
  /** The maximum size of the output in bytes. Defaults to 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** The effect of output that exceeds the limit. Defaults to `"fail"`. */
  readonly onOverflow?: "fail" | "truncate" | undefined;
  /** The time limit in milliseconds. Defaults to 10 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Aborting the signal kills git. */
  readonly signal?: AbortSignal | undefined;
}

/** The output of a git command that succeeded. */
export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
  /** True if the output was truncated at the limit. */
  readonly truncated: boolean;
}

/** A git command that failed, did not start, or exceeded a limit. */
export class GitError extends Error {
  readonly reason: "missing" | "failed" | "timed_out" | "too_much_output" | "cancelled";
  readonly stderr: string;

  constructor(reason: GitError["reason"], message: string, options: GitErrorOptions = {}) {
    super(message, options);
    this.name = "GitError";
    this.reason = reason;
    this.stderr = options.stderr ?? "";
  }
}

interface GitErrorOptions extends ErrorOptions {
  readonly stderr?: string;
}

/**
 * Runs the `git` program, 2.30 or later. No setting, attribute or hook can make git run a program: hooks, file monitors,
 * filters, external diffs, text conversions, signing, pagers and editors are disabled. If `reachesRemote` is set, git
 * accesses the network and runs the user's ssh command and credential helpers. Git never prompts. Rejects with a
 * `GitError`.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const drivers = options.isPrivate ? [] : (options.drivers ?? (await disableDrivers(options)));
  const settings = options.reachesRemote ? remoteSettings : fixedSettings;
  return execute([...settingArguments([...settings, ...drivers]), ...args], options);
}

/** Runs git like `runGit`, and returns its output as text without the trailing line break. */
export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  return (await runGit(args, options)).stdout.toString("utf8").replace(/\n$/, "");
}

/**
 * Returns the settings that disable the filters and merge drivers in all of a repository's worktrees. Returns undefined
 * if the worktrees may have different filters or drivers, or if one of these cannot be disabled.
 */
export async function sharedDrivers(
  options: GitOptions,
): Promise<readonly GitSetting[] | undefined> {
  const names = await settingNames(options);
  const areShared = !names.some((name) => /^(includeif\.|extensions\.worktreeconfig$)/.test(name));
  return areShared ? driversOff(names) : undefined;
}

async function disableDrivers(options: GitOptions): Promise<readonly GitSetting[]> {
  const drivers = driversOff(await settingNames(options));
  if (drivers !== undefined) return drivers;
  const file = `${options.gitDir}/config`;
  throw new GitError(
    "failed",
    `${file}, or a file that it includes, defines a filter or merge driver that cannot be disabled. Remove "=" and line breaks from its name`,
  );
}

async function settingNames(options: GitOptions): Promise<readonly string[]> {
  return (await listSettings(options)).map(([name]) => name);
}

/** Returns a repository's settings, including settings in files that its configuration includes. */
export async function listSettings(options: GitOptions): Promise<GitSetting[]> {
  const { input: _, maxBytes: __, ...rest } = options;
  const list = ["config", "--list", "-z", "--includes"];
  const { stdout } = await execute([...settingArguments(fixedSettings), ...list], {
    ...rest,
    exitCodes: [0],
    onOverflow: "fail",
  });
  const entries = stdout.toString("utf8").split("\0").slice(0, -1);
  return entries.map((entry): GitSetting => {
    const end = entry.indexOf("\n"); // names contain no line break; a name without a value means true
    return end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
  });
}

function settingArguments(settings: readonly GitSetting[]): string[] {
  return settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Commands that compare files. They receive options that prevent git from running the repository's programs. */
const comparing: ReadonlySet<string> = new Set([
  "diff",
  "diff-tree",
  "diff-index",
  "diff-files",
  "log",
  "show",
  "format-patch",
]);

function commandIn(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
}

function withoutPrograms(args: readonly string[]): readonly string[] {
  const command = commandIn(args);
  if (!comparing.has(command)) return args;
  const at = args.indexOf(command);
  return [...args.slice(0, at + 1), "--no-ext-diff", "--no-textconv", ...args.slice(at + 1)];
}

function execute(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { gitDir, workTree, index, objects, signal, settings = {}, exitCodes = [0] } = options;
  const { maxBytes = 64 * 1024 * 1024, onOverflow = "fail", timeoutMs = 600_000 } = options;
  const command = commandIn(args);
  const name = `git ${command}`;
  if (signal?.aborted)
    return Promise.reject(new GitError("cancelled", `${name} was cancelled`, cause(signal)));
  const cwd = options.cwd ?? workTree ?? gitDir;
  const child = spawn(
    "git",
    ["--no-pager", ...settingArguments(Object.entries(settings)), ...withoutPrograms(args)],
    {
      cwd,
      env: {
        ...gitEnvironment(options.env),
        ...(options.home !== undefined && { HOME: options.home }),
        ...(options.reachesRemote && remoteEnvironment(options.env)),
        GIT_LITERAL_PATHSPECS: command === "check-ignore" ? "0" : "1", // `check-ignore` rejects literal pathspecs
        GIT_DIR: gitDir,
        GIT_WORK_TREE: workTree ?? cwd,
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
        ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
      },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    },
  );
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let bytes = 0;
    let errorBytes = 0;
    let ended: GitError | undefined;
    const end = (error: GitError) => {
      ended ??= error;
      child.kill("SIGKILL");
    };
    const seconds = timeoutMs / 1000;
    const timer = setTimeout(
      () => end(new GitError("timed_out", `${name} did not finish within ${seconds} s`)),
      timeoutMs,
    );
    const onAbort = () => end(new GitError("cancelled", `${name} was cancelled`, cause(signal)));
    signal?.addEventListener("abort", onAbort, { once: true });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      const room = maxBytes - bytes;
      bytes += chunk.length;
      if (room > 0) output.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (bytes > maxBytes)
        end(new GitError("too_much_output", `${name} wrote more than ${maxBytes} bytes`));
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (errorBytes < STDERR_BYTES) errors.push(chunk);
      errorBytes += chunk.length;
    });
    child.stdin.on("error", () => {}); // ignored, because the exit code reports why git exited before it read its input
    child.stdin.end(options.input ?? "");
    child.on("error", (error) => {
      release();
      reject(startError(error, cwd));
    });
    child.on("close", (code, killedBy) => {
      release();
      const stderr = Buffer.concat(errors).toString("utf8").trim();
      const stdout = Buffer.concat(output);
      const isCut = ended?.reason === "too_much_output" && onOverflow === "truncate";
      if (isCut) resolve({ stdout, stderr, exitCode: 0, truncated: true });
      else if (ended) reject(ended);
      else if (code !== null && exitCodes.includes(code))
        resolve({ stdout, stderr, exitCode: code, truncated: false });
      else {
        const how = killedBy ? `was killed by ${killedBy}` : `exited with code ${code}`;
        const said = stderr ? `: ${stderr.slice(-1000)}` : "";
        reject(new GitError("failed", `${name} ${how}${said}`, { stderr }));
      }
    });
  });
}

const STDERR_BYTES = 1024 * 1024;

function cause(signal: AbortSignal | undefined): ErrorOptions {
  return { cause: signal?.reason };
}

/**
 * Returns the error for a failed start. For ENOENT, the message names both possible causes, because the system reports
 * the same error for a missing working directory and a missing program.
 */
function startError(error: Error, cwd: string): GitError {
  const isMissing = "code" in error && error.code === "ENOENT";
  const message = isMissing
    ? `git cannot be started in ${cwd}. Install git 2.30 or later, and check that the directory exists`
    : `git cannot be started: ${reasonOf(error)}`;
  return new GitError("missing", message, { cause: error });
}
