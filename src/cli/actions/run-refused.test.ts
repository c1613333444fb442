import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halyard, newUser } from "../../../test/cli/start-cli.ts";

test.each([
  [["run", ""], 2, /the prompt is empty/],
  [["run", "-"], 2, /the prompt is empty/],
  [["run", "--cwd", "nowhere", "x"], 2, /nowhere does not exist/],
  [["run", "--cwd", "file", "x"], 2, /file is not a directory/],
  [["run", "--runtime", "emacs", "x"], 3, /no runtime "emacs".*pi/],
  [["run", "--agent", "emacs", "x"], 3, /no runtime "emacs"/],
  [["run", "--api-key-env", "NO_KEY", "x"], 2, /NO_KEY is not set in the environment/],
  [["run", "--base-url", "nowhere", "x"], 2, /--base-url: expected an http or https URL/],
  [["run", "--resume", "ses_zz", "x"], 4, /no session has the id ses_zz/],
  [["events", "ses_0123456789abcdef"], 4, /no session has the id/],
  [["events", ""], 2, /the session's id is empty/],
  [["run", "x"], 3, /key/],
])("halyard %j exits with %d", async (args, exitCode, message) => {
  const user = await newUser();
  await writeFile(join(user.cwd, "file"), "");
  const finished = await halyard(user, args);
  expect(finished).toEqual({ exitCode, stdout: "", stderr: expect.stringMatching(message) });
  expect(await readdir(join(user.home, "run")).catch(() => [])).toEqual([]);
});

test("a malformed config names the file and the place", async () => {
  const user = await newUser();
  const file = join(user.cwd, "config", "models.json");
  await mkdir(join(user.cwd, "config"));
  await writeFile(file, '{\n  "models": { "a": { "model": 7 } }\n}');
  const { exitCode, stderr } = await halyard(user, ["run", "--format", "quiet", "x"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${file}:2:31: models.a.model: expected string, received number`);
});

test("no sessions is no error", async () => {
  const user = await newUser();
  expect(await halyard(user, ["sessions"])).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await halyard(user, ["sessions", "--format", "json"])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "",
  });
});
