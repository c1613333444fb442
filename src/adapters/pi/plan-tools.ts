import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

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
    if (await isAnyThere(files)) tools.push(tool);
  }
  return tools;
}

async function isAnyThere(files: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
