import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { HalyardError } from "../errors/error.ts";
import type { Environment } from "./environment.ts";

/**
 * Runs `<file> --version` and returns the version that the program prints. Rejects with `runtime_unavailable` and the
 * program's output if the program does not start, fails, exceeds the time limit or prints no version. The program gets a
 * temporary home, because some programs write to their home even for `--version`.
 */
export async function programVersion(file: string, options: VersionOptions): Promise<string> {
  const { env, limitMs = 30_000, node } = options;
  const home = await mkdtemp(join(tmpdir(), "halyard-version-"));
  try {
    const { problem, output } = await runVersion(file, { env: homeIn(home, env), limitMs, node });
    const version = /\d+\.\d+\.\d+(?:-[\w.-]+)?/.exec(output)?.[0];
    if (problem === undefined && version !== undefined) return version;
    const reason = problem ?? "it printed no version";
    throw new HalyardError(
      "runtime_unavailable",
      `${file} does not run: ${reason}. Its output: ${output.trim().slice(-OUTPUT_CHARS) || "none"}`,
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Options of a version check. */
export interface VersionOptions {
  readonly env: Environment;
  /** The time limit in milliseconds. Defaults to 30,000. */
  readonly limitMs?: number;
  /** The Node that runs the file, if it is a script. Defaults to the current Node for JavaScript files. */
  readonly node?: string | undefined;
}

const OUTPUT_CHARS = 1000;

function homeIn(home: string, { PATH, Path, SystemRoot }: Environment): NodeJS.ProcessEnv {
  const directories = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
  return {
    PATH: PATH ?? Path,
    ...(SystemRoot !== undefined && { SystemRoot }),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: home,
    ...Object.fromEntries(directories.map((name) => [name, home])),
  };
}

/**
 * Runs the program with `--version`. Runs a JavaScript file with `node` or the current Node, which may not be on the
 * PATH.
 */
function runVersion(
  file: string,
  {
    env,
    limitMs,
    node,
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly limitMs: number;
    readonly node?: string | undefined;
  },
): Promise<{ problem: string | undefined; output: string }> {
  const isScript = [".js", ".mjs", ".cjs"].includes(extname(file));
  const interpreter = node ?? (isScript ? process.execPath : undefined);
  const command = interpreter ?? file;
  const args = [...(interpreter === undefined ? [] : [file]), "--version"];
  const options = { env, timeout: limitMs, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      resolve({
        problem: error === null ? undefined : problemOf(error),
        output: `${stdout}${stderr}`,
      });
    });
    child.stdin?.end();
  });

  function problemOf(error: {
    killed?: boolean;
    code?: unknown;
    signal?: unknown;
    message: string;
  }) {
    if (error.killed) return `it did not exit within ${limitMs / 1000} s`;
    if (typeof error.code === "number") return `it exited with code ${error.code}`;
    return error.signal ? `it was killed by ${error.signal}` : error.message;
  }
}
