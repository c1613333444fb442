import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, SCRIPT, startInTerminal, type User } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Creates a user with a stopped session and a project, both named `site`. */
async function newOwner(): Promise<User> {
  const user = await newUser({ TERM: "xterm" });
  const { home, cwd } = user;
  await using local = await createHalyard({ home, adapters: [fakeAdapter()] });
  await (await local.start({ runtime: "fake", cwd, name: "site" })).stop();
  await runWarm(user, ["project", "create", "site"]);
  return user;
}

const sessionsOf = async (user: User): Promise<number> =>
  (await runWarm(user, ["sessions", "--format", "json"])).stdout.split("\n").length - 1;
const projectsOf = async ({ cwd }: User): Promise<number> =>
  (await readdir(join(cwd, "projects"))).length;

const remove = {
  args: ["rm", "site"],
  question: /Remove site \(ses_\w{16}\) with all events\? \[y\/N\] /,
  count: sessionsOf,
};

describe.skipIf(!existsSync(SCRIPT))("a command that deletes data, on a console", () => {
  test.each([
    remove,
    {
      args: ["prune", "--older-than", "0d"],
      question: /Delete 1 session with all events\? \[y\/N\] /,
      count: sessionsOf,
    },
    {
      args: ["project", "delete", "site"],
      question: /Delete the project site \(\S+\) with all files in its workspaces\? \[y\/N\] /,
      count: projectsOf,
    },
  ])("$args deletes only after the reply yes", async ({ args, question, count }) => {
    const user = await newOwner();
    const reply = async (typed: string) => {
      const cli = startInTerminal(user, args);
      await cli.says(question);
      cli.process.stdin.write(typed);
      return cli.finished;
    };
    for (const finished of await Promise.all(
      ["n\r", "\r", "yesterday\r", CTRL_C, CTRL_D].map(reply),
    ))
      expect(finished).toMatchObject({
        exitCode: 130,
        stdout: expect.stringContaining("Nothing was deleted."),
      });
    expect(await count(user)).toBe(1);
    expect(await reply("y\r")).toMatchObject({ exitCode: 0 });
    expect(await count(user)).toBe(0);
  });

  test("does not treat text typed before the question as a reply", async () => {
    const user = await newOwner();
    const cli = startInTerminal(user, remove.args);
    cli.process.stdin.write("y\ry\r");
    await cli.says(remove.question);
    cli.process.stdin.write("\r");
    expect(await cli.finished).toMatchObject({ exitCode: 130 });
    expect(await sessionsOf(user)).toBe(1);
  });

  test("does not ask for confirmation with --yes", async () => {
    const user = await newOwner();
    const { exitCode, stdout } = await startInTerminal(user, [...remove.args, "--yes"]).finished;
    expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(remove.question)]);
    expect(await sessionsOf(user)).toBe(0);
  });
});
