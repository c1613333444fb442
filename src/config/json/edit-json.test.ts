import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { editJsonFile } from "./edit-json.ts";

const setDefault = [{ path: ["default"], value: "codex" }];

test("changes one key and preserves comments, order and unknown keys", async () => {
  const path = join(await temporaryDirectory(), "file.json");
  await writeFile(
    path,
    '{\n  // mine\n  "later": [1, 2],\n  "default": "claude", // for now\n  "runtimes": {},\n}\n',
  );
  await editJsonFile(path, setDefault);
  expect(await readFile(path, "utf8")).toBe(
    '{\n  // mine\n  "later": [1, 2],\n  "default": "codex", // for now\n  "runtimes": {},\n}\n',
  );
});

test("creates a missing file that only the user can read", async () => {
  const path = join(await temporaryDirectory(), "new", "file.json");
  await editJsonFile(path, setDefault);
  expect(await readFile(path, "utf8")).toBe('{\n  "default": "codex"\n}\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("preserves the file mode and leaves no temporary file", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "file.json");
  await writeFile(path, "{}");
  await chmod(path, 0o640);
  await editJsonFile(path, setDefault);
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect(await readdir(directory)).toEqual(["file.json"]);
});

test("changes the target of a symbolic link", async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, "dotfiles"));
  const real = join(directory, "dotfiles", "file.json");
  await writeFile(real, "{}");
  await symlink(real, join(directory, "file.json"));
  await editJsonFile(join(directory, "file.json"), setDefault);
  expect(JSON.parse(await readFile(real, "utf8"))).toEqual({ default: "codex" });
});

test.each(["{ broken", "[]", ""])("rejects %j and does not change the file", async (text) => {
  const path = join(await temporaryDirectory(), "file.json");
  await writeFile(path, text);
  await expect(editJsonFile(path, setDefault)).rejects.toMatchObject({ code: "invalid_config" });
  expect(await readFile(path, "utf8")).toBe(text);
});
