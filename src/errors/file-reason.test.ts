import { readFile, rename } from "node:fs/promises";
import { expect, test } from "vitest";
import { fileReason } from "./file-reason.ts";

test("removes the code, the call and the paths from system errors only", async () => {
  const reasons = [
    await readFile("/nowhere/it's, a file").catch(fileReason),
    await rename("/nowhere/a", "/nowhere/b").catch(fileReason),
    await readFile("/").catch(fileReason),
    fileReason(new Error("EXIT: it is a directory, open 'x'")),
  ];
  expect(reasons).toEqual([
    "no such file or directory",
    "no such file or directory",
    "it is a directory",
    "EXIT: it is a directory, open 'x'",
  ]);
});
