import { delimiter, join } from "node:path";
import { executable } from "../../programs/program.ts";

/** The programs that Pi's `grep` and `find` need. Pi downloads missing programs. */
const programs = { grep: ["rg"], find: ["fd", "fdfind"] } as const;

/** The directories that contain the tools' programs. */
export interface ToolPaths {
  readonly PATH?: string | undefined;
  readonly agentDir: string;
}

/** Returns the names of Pi's read-only tools that work without a download. */
export async function planTools(paths: ToolPaths): Promise<string[]> {
  const directories = [join(paths.agentDir, "bin"), ...(paths.PATH ?? "").split(delimiter)];
  const tools = ["read", "ls"];
  for (const [tool, names] of Object.entries(programs)) {
    const files = directories.flatMap((directory) => names.map((name) => join(directory, name)));
    const found = await Promise.all(files.map(executable));
    if (found.some((file) => file !== undefined)) tools.push(tool);
  }
  return tools;
}
