import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { halyard } from "../../../test/cli/start-cli.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

/** Creates a user whose first agent reaches a usage limit, and whose second agent is the ACP agent `goose`. */
async function newLimitedUser() {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const error = { status: 429, message: "You have reached your usage limit." };
  model.on("Paint the deck.", { error });
  model.on("started in this directory", { text: "The deck is painted." });
  const user = await newAgentUser(model);
  const { HOME = "", PATH } = user.env;
  const bin = join(HOME, "bin");
  await mkdir(bin);
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo 1.0.0 && exit\nexec ${join(HOME, "agent")}\n`;
  await writeFile(join(bin, "goose"), script);
  await chmod(join(bin, "goose"), 0o755);
  return { ...user, HOME, env: { ...user.env, PATH: `${bin}:${PATH}` } };
}

test("prints the turn of the session that continues the work after a usage limit", async () => {
  const user = await newLimitedUser();
  const { exitCode, stdout, stderr } = await halyard(user, [
    ...["run", ...user.agent, "--on-limit", "handoff:goose", "Paint the deck."],
  ]);
  expect({ exitCode, stdout, stderr }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /✗ failed[\s\S]*goose · [\s\S]*The deck is painted\.[\s\S]*✓ completed/,
    ),
    stderr: expect.stringContaining("A session on goose continues the work."),
  });
});

test("prints why no session continues the work if the other runtime was removed in the meantime", async () => {
  const user = await newLimitedUser();
  const { HOME } = user;
  const script = `#!/bin/sh\nrm -f ${join(HOME, "bin", "goose")}\nexec ${join(HOME, "agent")}\n`;
  const command = join(HOME, "first");
  await writeFile(command, script, { mode: 0o755 });
  const { exitCode, stderr } = await halyard(user, [
    ...["run", "--runtime", "acp", "--command", command],
    ...["--on-limit", "handoff:goose", "Paint the deck."],
  ]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/could not be handed over to goose: goose cannot run here/);
});
