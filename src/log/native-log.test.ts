import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { requireOutOfReach } from "./native-log.ts";

test("rejects a native log below the working directory of an agent in a container, also through a link", async () => {
  const root = await temporaryDirectory();
  const cwd = join(root, "work");
  mkdirSync(join(cwd, "deep"), { recursive: true });
  symlinkSync(cwd, join(root, "link"));
  for (const path of ["work/log", "work/deep/log", "link/log", "link/deep/log"])
    expect(() => requireOutOfReach(join(root, path), cwd), path).toThrow(/outside its working/);
  for (const path of ["log", "workshop", "other/log"])
    expect(() => requireOutOfReach(join(root, path), cwd), path).not.toThrow();
});
