import { spawn } from "node:child_process";
import type { Environment } from "../../config/paths.ts";
import { HalyardError } from "../../errors/error.ts";
import { explainNpmFailure } from "./npm-failure.ts";

export interface NpmOptions {
  readonly env: Environment;
  /** Called with the number of responses from the registry so far. */
  readonly onProgress: (responses: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs `npm ci` in a directory with a lockfile. Packages must have the locked hash, and install scripts do not run.
 * Rejects if npm cannot be run, fails, receives no response within 45 s, or is aborted.
 */
export function npmCi(cwd: string, options: NpmOptions): Promise<void> {
  const { env, onProgress, signal } = options;
  const args = ["ci", `--prefix=${cwd}`, ...FLAGS];
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", args, { cwd, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] });
    let isSilent = true;
    const giveUp = setTimeout(() => {
      if (isSilent) npm.kill("SIGKILL");
    }, FIRST_RESPONSE_MS);
    const interrupt = (): boolean => npm.kill();
    signal?.addEventListener("abort", interrupt, { once: true });
    let responses = 0;
    let output = "";
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      const answered = text.split(/npm http (?:fetch|cache)/).length - 1;
      if (answered > 0) isSilent = false;
      responses += answered;
      onProgress(responses);
      output = (output + text).slice(-OUTPUT_CHARS);
    });
    npm.once("error", (cause) => {
      clearTimeout(giveUp);
      reject(
        failure(
          `npm cannot be run (${cause.message}). Install Node with npm, or add npm to the PATH.`,
        ),
      );
    });
    npm.once("close", (code, killed) => {
      clearTimeout(giveUp);
      signal?.removeEventListener("abort", interrupt);
      if (signal?.aborted)
        reject(
          new HalyardError(
            "cancelled",
            "The installation was interrupted. Run the command again to install the package.",
          ),
        );
      else if (code === 0) resolve();
      else if (killed === "SIGKILL" && isSilent) reject(failure(NO_RESPONSE));
      else
        reject(
          failure(
            explainNpmFailure(output) ??
              `npm ${killed === null ? `exited with code ${code}` : `was killed by ${killed}`} without an error message. Run "npm doctor" to check npm.`,
          ),
        );
    });
  });
}

const OUTPUT_CHARS = 100_000;
const FIRST_RESPONSE_MS = 45_000;
const NO_RESPONSE =
  `The npm registry did not respond within ${FIRST_RESPONSE_MS / 1000} s. ` +
  'Check the network, the proxy and "npm config get registry".';

/**
 * Overrides the user's npm settings that would break the installation. `--global=false` is needed if `npm --global`
 * started this process. The retry settings make npm fail after seconds instead of more than a minute.
 */
const FLAGS = [
  "--ignore-scripts",
  "--include=optional",
  "--package-lock=true",
  "--global=false",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=3000",
  "--loglevel=http",
];

function failure(reason: string): HalyardError {
  return new HalyardError("runtime_unavailable", reason);
}
