import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";

/** Creates a git directory without commits. `git init` would copy templates, which can contain hooks. */
export async function createGitDirectory(gitDir: string): Promise<void> {
  for (const name of ["objects/pack", "refs/heads", "refs/tags", "info"])
    await makeDirectory(join(gitDir, name), { mode: 0o700 });
  const config = ["[core]", "\trepositoryformatversion = 0", "\tbare = false", "\tfilemode = true"];
  await writeFile(join(gitDir, "config"), `${config.join("\n")}\n`);
  // HEAD is written last, because git recognizes the directory by it.
  await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
}
