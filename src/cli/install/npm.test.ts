import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { npmCi } from "./npm.ts";

test.each([
  ["kill -TERM $$", "npm was killed by SIGTERM without an error message."],
  ["exit 7", "npm exited with code 7 without an error message."],
])("states how npm ended if it printed no error: %s", async (script, message) => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const installing = npmCi(directory, { env: { PATH: directory }, onProgress: () => {} });
  await expect(installing).rejects.toMatchObject({
    code: "runtime_unavailable",
    message: expect.stringContaining(message),
  });
});
