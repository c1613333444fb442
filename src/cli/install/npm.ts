import { spawn } from "node:child_process";
import type { Environment } from "../../config/paths.ts";
import { HalyardError } from "../../core/error.ts";

export interface NpmOptions {
  readonly env: Environment;
  /** How often the registry has answered so far. */
  readonly onProgress: (answers: number) => void;
  readonly signal?: AbortSignal;
}

/** Has npm install a package into a directory of its own, without running any script of anybody's. */
export function npmInstall(specifier: string, cwd: string, options: NpmOptions): Promise<void> {
  const { env, onProgress, signal } = options;
  const args = ["install", specifier, `--prefix=${cwd}`, ...FLAGS];
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", args, { cwd, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] });
    const interrupt = (): boolean => npm.kill();
    signal?.addEventListener("abort", interrupt, { once: true });
    let answers = 0;
    let complaints = "";
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      answers += text.split("npm http fetch").length - 1;
      onProgress(answers);
      complaints = lastErrors(complaints + text);
    });
    npm.once("error", (cause) =>
      reject(failure(specifier, `npm cannot be run (${cause.message})`)),
    );
    npm.once("close", (code) => {
      signal?.removeEventListener("abort", interrupt);
      if (signal?.aborted)
        reject(new HalyardError("cancelled", "the installation was interrupted"));
      else if (code === 0) resolve();
      else reject(failure(specifier, complaints.trim() || `npm ended with exit code ${code}`));
    });
  });
}

/** `--global=false`: whoever started us may be a global npm, whose settings we inherit. */
const FLAGS = [
  "--ignore-scripts",
  "--save-exact",
  "--global=false",
  "--no-audit",
  "--no-fund",
  "--loglevel=http",
];

function lastErrors(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("npm error"));
  return `${lines.slice(-6).join("\n")}\n`;
}

function failure(specifier: string, reason: string): HalyardError {
  return new HalyardError("runtime_unavailable", `${specifier} could not be fetched:\n${reason}`);
}
