import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteForShell } from "../../../programs/quote-for-shell.ts";

/** A Droid process's files in the session's run directory. */
export interface RunFiles {
  /** The script that the shell sources before every command that Droid runs. */
  readonly shell: string;
  /** The file with the session's system prompt, which Droid appends to its own. */
  readonly instructions: string;
  /** The file with the MCP servers, which may contain keys. */
  readonly mcp: string;
}

/** Returns the paths of Droid's files in a run directory. */
export function runFilesIn(runDir: string): RunFiles {
  return {
    shell: join(runDir, "droid-shell.sh"),
    instructions: join(runDir, "droid-instructions.md"),
    mcp: join(runDir, "droid-mcp.json"),
  };
}

/** Writes the shell script and, if the session has a system prompt, the file with the system prompt. */
export async function writeRunFiles(
  { shell, instructions }: RunFiles,
  content: {
    /** The names of variables that are unset for commands. */
    readonly hidden: readonly string[];
    /** The session's own BASH_ENV. */
    readonly bashEnv: string | undefined;
    readonly systemPrompt: string | undefined;
  },
): Promise<void> {
  const { hidden, bashEnv, systemPrompt } = content;
  const lines = [`unset ${hidden.join(" ")}`];
  if (bashEnv !== undefined)
    lines.push(`export BASH_ENV=${quoteForShell(bashEnv)}`, `. "$BASH_ENV"`);
  await writeFile(shell, `${lines.join("\n")}\n`, { mode: 0o600 });
  if (systemPrompt !== undefined) await writeFile(instructions, systemPrompt, { mode: 0o600 });
}
