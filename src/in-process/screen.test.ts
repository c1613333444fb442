import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { writeParrot } from "../../test/screens/parrot.ts";
import { terminalAdapter } from "../adapters/terminal/index.ts";
import { createHalyard } from "../create-halyard.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

test("returns a tmux session's screen with colors and without keys, until its program ends", async () => {
  const cwd = await temporaryDirectory();
  const bin = await writeParrot(cwd);
  const entry = { ready: "prompt", ready_prompt_prefix: ">" } as const;
  const env = { PATH: process.env.PATH, HOME: cwd, PARROT_API_KEY: "sk-planted-1234567890" };
  const adapters = [terminalAdapter({ name: "parrot", bin, args: [], env, entry })];
  await using halyard = await createHalyard({ home: join(cwd, "home"), env, adapters });
  const session = await halyard.start({
    runtime: "parrot",
    cwd,
    host: "tmux",
    permissions: "allow-all",
    env: { SAYS: "\u001b[1;32mgreen\u001b[0m sk-planted-1234567890" },
  });
  await session.ready();
  await session.send("hello").outcome;
  const screen = await vi.waitUntil(async () => {
    const seen = await halyard.screen(session.id);
    return seen.lines.some((line) => line.includes("green")) && seen;
  }, 20_000);
  expect(screen.lines[0]).toBe("Parrot 1.0");
  expect(screen.lines.find((line) => line.includes("green"))).toMatch(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors are escape sequences
    /^\u001b\[1m\u001b\[32mgreen(\u001b\[[\d;]*m)+ \[redacted\]$/,
  );
  expect(screen.viewCommand[0]).toBe("tmux");
  expect(screen.cursor.row).toBeGreaterThan(1);
  await session.stop();
  await expect(halyard.screen(session.id)).rejects.toMatchObject({ code: "session_stopped" });
});
