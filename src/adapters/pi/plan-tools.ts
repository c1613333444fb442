import { delimiter, join } from "node:path";
import { executable } from "../../core/program.ts";

/** Pi's `grep` and `find` are made of these programs, which it would fetch from the network where they are missing. */
const programs = { grep: ["rg"], find: ["fd", "fdfind"] } as const;

export interface Where {
  readonly PATH?: string | undefined;
  readonly agentDir: string;
}

/** The tools that change nothing and work here. */
export async function planTools(where: Where): Promise<string[]> {
  const directories = [join(where.agentDir, "bin"), ...(where.PATH ?? "").split(delimiter)];
  const tools = ["read", "ls"];
  for (const [tool, names] of Object.entries(programs)) {
    const files = directories.flatMap((directory) => names.map((name) => join(directory, name)));
    const found = await Promise.all(files.map(executable));
    if (found.some((file) => file !== undefined)) tools.push(tool);
  }
  return tools;
}
