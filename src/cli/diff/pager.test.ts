import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { showInPager } from "./pager.ts";

const { PATH } = process.env;

test.each(["exit 2", "kill -INT $$"])(
  "returns true if the pager showed the text and then failed: %s",
  async (end) => {
    const file = join(await temporaryDirectory(), "shown");
    const PAGER = `sh -c 'cat > ${file}; ${end}'`;
    expect(await showInPager("a diff", { PATH, PAGER })).toBe(true);
    expect(await readFile(file, "utf8")).toBe("a diff");
  },
);

test.each(["no-such-pager", "/", "", "cat"])(
  "returns false if the pager is disabled or cannot be run: %j",
  async (PAGER) => {
    expect(await showInPager("a diff", { PATH, PAGER })).toBe(false);
  },
);
