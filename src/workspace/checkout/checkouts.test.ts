import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/workspace/repository.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { packDirectory } from "../transfer/pack-directory.ts";
import { createCheckouts } from "./checkouts.ts";

const env = { PATH: process.env.PATH, HOME: "/nonexistent" };

test("clones a branch, a tag, a commit and the default branch, and a known commit without its remote repository", async () => {
  const user = await newRepository({ "a.txt": "one\n" });
  const first = await user.git("rev-parse", "HEAD");
  await user.git("tag", "v1");
  await user.git("checkout", "-q", "-b", "topic");
  const second = await user.commit("b.txt", "two\n");
  await user.git("checkout", "-q", "main");
  const checkouts = createCheckouts({ home: await temporaryDirectory(), env });
  const clone = async (ref?: string, known?: string) => {
    const request = { url: user.root, ...(ref !== undefined && { ref }) };
    const { path, base } = await checkouts.clone(newSessionId(), request, known);
    const branch = await user.gitIn(path, "branch", "--show-current");
    return [base, branch, await user.gitIn(path, "status", "--short")];
  };
  expect(await clone()).toEqual([first, "main", ""]);
  expect(await clone("topic")).toEqual([second, "topic", ""]);
  expect(await clone("v1")).toEqual([first, "", ""]);
  expect(await clone(first)).toEqual([first, "", ""]);
  await expect(clone("nowhere")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining('no branch, tag or commit "nowhere"'),
  });
  await rename(user.root, `${user.root}-gone`);
  expect(await clone("topic", second)).toEqual([second, "", ""]);
  await expect(clone()).rejects.toMatchObject({ code: "workspace_failed" });
});

test("creates a clone that can push without the machine's mirror, and runs no hook", async () => {
  const user = await newRepository({ "a.txt": "one\n" });
  const home = await temporaryDirectory();
  const marker = join(home, "ran");
  const hook = join(user.root, ".git", "hooks", "post-checkout");
  await writeFile(hook, `#!/bin/sh\ntouch ${marker}\n`);
  await chmod(hook, 0o755);
  const checkouts = createCheckouts({ home, env });
  const id = newSessionId();
  const { path } = await checkouts.clone(id, { url: user.root });
  await rename(join(home, "mirrors"), join(home, "mirrors-gone"));
  expect(await user.gitIn(path, "fsck", "--no-dangling")).toBe("");
  expect(await user.gitIn(path, "rev-parse", "--abbrev-ref", "@{upstream}")).toBe("origin/main");
  await user.gitIn(path, "push", "-q", "origin", "HEAD:refs/heads/pushed");
  expect(await user.git("rev-parse", "pushed")).toBe(await user.git("rev-parse", "main"));
  await expect(readFile(marker)).rejects.toMatchObject({ code: "ENOENT" });
  await checkouts.remove(id);
  await expect(readFile(join(path, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("unpacks a directory's files as they are, without ignored files, and leaves its repository unchanged", async () => {
  const user = await newRepository({ "a.txt": "one\n", ".gitignore": "secret\n" });
  await user.write("a.txt", "changed\n");
  await user.write("sub/new.txt", "new\n");
  await user.write("secret", "hidden\n");
  const refs = await user.git("for-each-ref");
  const { upload, cwd } = await packDirectory(join(user.root, "sub"), env);
  expect([cwd, upload.name, await user.git("for-each-ref")]).toEqual(["sub", "shop", refs]);
  const checkouts = createCheckouts({ home: await temporaryDirectory(), env });
  const { path, base } = await checkouts.unpack(newSessionId(), upload);
  expect(base).toBe(upload.commit);
  expect(await user.gitIn(path, "ls-files")).toBe(
    [".gitignore", "a.txt", "sub/new.txt"].join("\n"),
  );
  expect(await readFile(join(path, "a.txt"), "utf8")).toBe("changed\n");
  expect(await user.gitIn(path, "status", "--short")).toBe("");
  const broken = { ...upload, pack: Buffer.from("nothing").toString("base64") };
  await expect(checkouts.unpack(newSessionId(), broken)).rejects.toMatchObject({
    code: "invalid_input",
  });
});
