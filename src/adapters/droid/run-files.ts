import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteForShell } from "../../core/quote-for-shell.ts";

/** What a process of Droid's needs beside its home, in the session's run directory. */
export interface RunFiles {
  /** Read by the shell before every command that Droid runs. */
  readonly shell: string;
  /** Added to Droid's own instructions. */
  readonly instructions: string;
  /** MCP servers, which may come with keys. */
  readonly mcp: string;
}

export function runFilesIn(runDir: string): RunFiles {
  return {
    shell: join(runDir, "droid-shell.sh"),
    instructions: join(runDir, "droid-instructions.md"),
    mcp: join(runDir, "droid-mcp.json"),
  };
}

export async function writeRunFiles(
  { shell, instructions }: RunFiles,
  content: {
    /** Variables that commands are not to see. */
    readonly hidden: readonly string[];
    /** The session's own file of that kind. */
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
