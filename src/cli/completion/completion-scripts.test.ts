import { execFile, execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { newUser, program } from "../../../test/cli/start-cli.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";

/** The command that starts each shell without user settings, and the command that enables completion. */
const shells = [
  {
    shell: "bash",
    start: ["bash", "--norc", "--noprofile", "-i"],
    setup: "PS1='$ '; eval \"$(halyard completion bash)\"",
  },
  {
    shell: "zsh",
    start: ["zsh", "-f", "-i"],
    setup: "PS1='$ '; autoload -U compinit; compinit -u -D; eval \"$(halyard completion zsh)\"",
  },
  {
    shell: "fish",
    start: ["fish", "--no-config", "-i"],
    setup:
      "function fish_prompt; echo '$ '; end; set fish_autosuggestion_enabled 0; halyard completion fish | source",
  },
].map((one) => ({ ...one, isInstalled: isInstalled(one.shell) }));

function isInstalled(shell: string): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$1"', "sh", shell], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Opens a shell in tmux, for a user with some sessions. */
async function openShell(start: readonly string[], setup: string) {
  const user = await newUser();
  const { HOME = "", PATH } = user.env;
  await using halyard = await createHalyard({ home: user.home, adapters: [fakeAdapter()] });
  for (const name of ["api:one", "api two", "web$x"])
    await (await halyard.start({ runtime: "fake", cwd: user.cwd, name })).stop();
  await writeFile(join(user.cwd, "notes.txt"), "");
  const bin = join(HOME, "bin");
  await mkdir(bin);
  await symlink(program, join(bin, "halyard"));
  const path = { PATH: `${bin}:${PATH}`, SHELL: "/bin/sh" };
  // A shell writes its history when it exits, and the test does not wait for the exit.
  const history = { HISTFILE: "/dev/null", fish_history: "" };
  const env = { ...user.env, ...path, ...history, LANG: "C.UTF-8" };
  const tmux = async (...words: string[]) => {
    const args = ["-u", "-S", join(HOME, "t.sock"), "-f", "/dev/null", ...words];
    return (await promisify(execFile)("tmux", args, { env, cwd: user.cwd })).stdout;
  };
  onTestFinished(async () => void (await tmux("kill-server").catch(() => {})));
  await tmux("new-session", "-d", "-s", "s", "-x", "100", "-y", "30", ...start);
  const keys = (...names: string[]) => tmux("send-keys", "-t", "s", ...names);
  const type = (text: string) => keys("-l", text);
  const shown = async () => (await tmux("capture-pane", "-p", "-t", "s")).trimEnd();
  await type(`${setup}; clear; echo it is re''ady`);
  await keys("Enter");
  await expect.poll(shown, within).toMatch(/^it is ready\s*\n\$$/);
  return { keys, type, shown };
}

const within = { timeout: 25_000 };

describe.each(shells)("Tab in the real $shell", ({ start, setup, isInstalled, shell }) => {
  test.skipIf(!isInstalled)(
    isInstalled
      ? "completes commands, options, session names and files"
      : `skipped: ${shell} is not installed`,
    { timeout: 120_000 },
    async () => {
      const { keys, type, shown } = await openShell(start, setup);
      const line = async () => (await shown()).split("\n").at(-1)?.trimEnd();
      for (const [typed, completed] of [
        ["halyard dae", "halyard daemon"],
        ["halyard run --form", "halyard run --format"],
        ["halyard run --format j", "halyard run --format json"],
        ["halyard send api:", "halyard send api:one"],
        ["halyard send api\\ t", "halyard send api\\ two"],
        ["halyard send web", "halyard send web\\$x"],
        ["halyard send api:one not", "halyard send api:one notes.txt"],
      ] as const) {
        await type(typed);
        await expect.poll(line, within).toBe(`$ ${typed}`);
        await keys("Tab");
        await expect.poll(line, within).toBe(`$ ${completed}`);
        await keys("C-u");
        await expect.poll(line, within).toBe("$");
      }
      await type("halyard daemon st");
      await keys("Tab", "Tab");
      await expect.poll(shown, within).toMatch(/\bstatus\b[\s\S]*\bstop\b/);
    },
  );
});
