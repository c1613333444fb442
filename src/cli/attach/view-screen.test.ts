import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { sampleSession } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createSink } from "../output/sink.ts";
import { viewScreen } from "./view-screen.ts";

test("recommends to install tmux if tmux cannot be run", async () => {
  const directory = await temporaryDirectory();
  const env = { PATH: directory, HALYARD_HOME: directory };
  const info = sampleSession();
  const err = createSink(new PassThrough(), env);
  await expect(viewScreen(info, { env, err })).rejects.toMatchObject({
    code: "unsupported",
    message: `tmux cannot be run (spawn tmux ENOENT). Install tmux with your package manager, or run "halyard events ${info.id} --follow" to follow the session without it.`,
  });
});
