import { lchownSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { isForeign } from "./file-owner.ts";

test.skipIf(process.getuid?.() !== 0)(
  "treats another user's link as foreign, even if it points to this user's file",
  async () => {
    const cwd = await temporaryDirectory();
    const [file, link] = [join(cwd, "file"), join(cwd, "link")];
    writeFileSync(file, "");
    symlinkSync(file, link);
    expect(isForeign(link, cwd)).toBe(false);
    lchownSync(link, 12_345, 12_345);
    expect(isForeign(link, cwd)).toBe(true);
    expect(isForeign(file, cwd)).toBe(false);
  },
);
