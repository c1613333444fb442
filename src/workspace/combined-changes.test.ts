import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/workspace/repository.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { createWorkspaces } from "./workspaces.ts";

test.each(["sha1", "sha256"] as const)(
  "combines the changes in several ranges of a %s repository without the changes between them, even in the same file",
  async (format) => {
    const lines = Array.from({ length: 9 }, (_, at) => `${at}\n`);
    const edited = (at: number, text: string) => {
      lines[at] = `${text}\n`;
      return lines.join("");
    };
    const before = { "both.txt": lines.join(""), "same.txt": "one\n" };
    const { root, write } = await newRepository(before, { format });
    const home = await temporaryDirectory();
    const workspaces = createWorkspaces({ home, env: process.env, now: () => new Date() });
    const workspace = await workspaces.open("ses_0123456789abcdef", root);
    let after: string | undefined;
    const checkpoint = async () => {
      after = (await workspace.checkpoint({ after })).commit;
      return after;
    };

    const start = await checkpoint();
    await write("both.txt", edited(0, "agent"));
    await write("added.txt", "agent\n");
    const first = await checkpoint();
    await write("both.txt", edited(4, "user"));
    await write("same.txt", "user\n");
    await write("mine.txt", "user\n");
    const between = await checkpoint();
    await write("both.txt", edited(8, "agent"));
    await write("same.txt", "user and agent\n");
    await rm(join(root, "added.txt"));
    await write("added.txt/below", "agent\n");

    const { files, diff } = await workspace.combinedChanges([
      { from: start, to: first },
      { from: between, to: undefined },
    ]);
    expect(files.map(({ path, insertions, deletions }) => [path, insertions, deletions])).toEqual([
      ["added.txt/below", 1, 0],
      ["both.txt", 2, 2],
      ["same.txt", 1, 1], // only the combined line is in the result
    ]);
    expect(diff).not.toContain("+user\n");
    expect(diff).toContain("+user and agent\n");
  },
);
