import { spawn } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, openTmux, runAsUser, shows } from "../../../test/tmux/scene.ts";
import { eventually } from "../../testing/eventually.ts";
import { createTmuxHost } from "./index.ts";

/** The util-linux program `script`, which runs a program with a console. */
const SCRIPT = "/usr/bin/script";

test("sends messages to the program's pane, regardless of what a user does with the window", async () => {
  const { home, open } = await openTmux();
  const terminal = await open();
  await shows(terminal, "ready>");
  const shell = `cat > '${join(home, "typed-into-my-shell")}'`;
  await runAsUser(home, "split-window", "-t", "=ses_1:", shell);
  await runAsUser(home, "new-window", "-t", "=ses_1:", shell);
  await runAsUser(home, "rename-session", "-t", "=ses_1", "mine");
  await terminal.paste("for the program");
  await terminal.press("Enter");
  await shows(terminal, "for the program");
  const again = await createTmuxHost({
    socket: join(home, "tmux.sock"),
    env: process.env,
  }).attachTerminal?.(join(home, "ses_1"));
  await again?.paste("and again");
  await shows(terminal, "and again");
  await again?.detach();
  await terminal.terminate({ graceMs: 1000 });
  await expect(runAsUser(home, "list-sessions")).rejects.toThrow(/no server|error connecting/);
  expect(await readFile(join(home, "typed-into-my-shell"), "utf8")).toBe("");
});

test("types a message while a user scrolls the pane or has opened another tmux mode", async () => {
  const { home, open } = await openTmux();
  const terminal = await open();
  await shows(terminal, "ready>");
  for (const mode of [["copy-mode"], ["copy-mode", "-u"], ["choose-tree"], ["clock-mode"]]) {
    const [command = "", ...flags] = mode;
    await runAsUser(home, command, ...flags, "-t", "=ses_1:");
    await terminal.paste(`during ${mode.join(" ")}`);
    await terminal.press("Enter");
    const input = () => readFile(join(home, "input"), "utf8");
    await expect.poll(input).toMatch(new RegExp(`during ${mode.join(" ")}\\x1b\\[201~\\r$`));
  }
});

test.each([
  ["pane", ["kill-pane", "-t", "=ses_1:"], "its tmux pane was closed"],
  ["server", ["kill-server"], "its tmux pane was closed or its tmux server was killed"],
])("rejects look and paste with the reason after the %s was killed", async (_, kill, reason) => {
  const { home, open } = await openTmux();
  await open({}, "ses_2"); // a second session keeps the server running
  const terminal = await open();
  await shows(terminal, "ready>");
  await runAsUser(home, ...kill);
  expect(await terminal.exit).toEqual({ reason });
  const message = expect.stringContaining(reason);
  await expect(terminal.look()).rejects.toMatchObject({ code: "agent_exited", message });
  await expect(terminal.paste("x")).rejects.toMatchObject({ code: "agent_exited", message });
});

test("does not type into a pane with the same number on another server", async () => {
  const { home, open } = await openTmux();
  const file = "sh";
  const args = ["-c", "trap '' HUP; echo up; while :; do sleep 0.1; done"];
  const terminal = await open({ file, args });
  await shows(terminal, "up");
  await runAsUser(home, "kill-server");
  const another = ["-f", "/dev/null", "new-session", "-d", "-s", "ses_1", "cat > theirs"];
  await eventually(() => runAsUser(home, ...another)); // the killed server may still be shutting down
  onTestFinished(async () => void (await runAsUser(home, "kill-server").catch(() => {})));
  await expect(terminal.paste("x")).rejects.toMatchObject({ code: "agent_exited" });
  expect(await terminal.health()).toBe("alive");
});

test("keeps the screen readable if a small console attaches, and restores the window's size", async () => {
  const { home, open } = await openTmux();
  const terminal = await open({
    file: "sh",
    args: ["-c", "while :; do stty size; sleep 0.1; done"],
  });
  await shows(terminal, "50 200");
  const view = spawn(
    SCRIPT,
    ["-qfc", `stty cols 30 rows 8; exec tmux -S '${home}/tmux.sock' attach -t =ses_1`, "/dev/null"],
    {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, TERM: "xterm", TMUX: "" },
    },
  );
  onTestFinished(() => void view.kill("SIGKILL"));
  const lastSize = async () => (await terminal.look()).lines.findLast((line) => line !== "");
  const isLargeEnough = async () => {
    const [rows = 0, columns = 0] = (await lastSize())?.split(" ").map(Number) ?? [];
    return rows >= 24 && columns >= 80 && columns < 200;
  };
  await expect.poll(isLargeEnough).toBe(true);
  view.kill("SIGKILL");
  await expect.poll(lastSize).toBe("50 200");
});

test("passes a program its variables unchanged, without the variables that give access to the tmux server", async () => {
  const { home, open } = await openTmux();
  const env = { PATH: process.env.PATH ?? "", SECRET: "it's $a\nsecret", GT_ROLE: "witness" };
  const file = "sh";
  await open({ file, args: ["-c", "env -0 > env; exec sleep 60"], env });
  const seen = async () => (await readFile(join(home, "env"), "utf8").catch(() => "")).split("\0");
  await expect.poll(seen).toContain("GT_ROLE=witness");
  expect(await seen()).toContain("SECRET=it's $a\nsecret");
  expect((await seen()).filter((line) => line.startsWith("TMUX"))).toEqual([]);
});

test("detects an early exit and keeps the last output on the screen", async () => {
  const { open } = await openTmux();
  const terminal = await open({ file: "sh", args: ["-c", "sleep 0.2; echo no login; exit 3"] });
  expect(await terminal.exit).toEqual({ code: 3 });
  expect(await terminal.health()).toBe("dead");
  await shows(terminal, "no login");
});

test("names a program that does not exist, in the error or on the screen", async () => {
  const { open } = await openTmux();
  const message = await open({ file: "no-such-program" }).then(
    async (terminal) => {
      await terminal.exit;
      return (await terminal.look()).lines.join("\n");
    },
    ({ message }: Error) => message,
  );
  expect(message).toContain("no-such-program");
});

test("attaches to a running program from another host object", async () => {
  const { home, host, open } = await openTmux();
  const terminal = await open();
  await shows(terminal, "ready>");
  await terminal.detach();
  const other = createTmuxHost({ socket: join(home, "tmux.sock"), env: process.env });
  const again = await other.attachTerminal?.(join(home, "ses_1"));
  expect(again?.identity).toEqual(terminal.identity);
  await again?.paste("still here");
  if (again) await shows(again, "still here");
  expect(await (await host.attach(join(home, "ses_1")))?.health()).toBe("alive");
  expect(await other.attachTerminal?.(join(home, "ses_2"))).toBeUndefined();
});

test("terminate kills all descendants of the program, but not another session's program", async () => {
  const { home, open } = await openTmux();
  const file = "sh";
  const args = [
    "-c",
    "setsid sleep 100 & echo $! > child; trap '' TERM; while :; do sleep 0.1; done",
  ];
  const stubborn = await open({ file, args });
  const other = await open({}, "ses_10");
  const child = async () => Number(await readFile(join(home, "child"), "utf8").catch(() => "0"));
  await expect.poll(child).toBeGreaterThan(0);
  await stubborn.terminate({ graceMs: 50 });
  expect([isAlive(stubborn.identity.pid), isAlive(await child())]).toEqual([false, false]);
  await shows(other, "ready>");
  await other.terminate({ graceMs: 1000 });
  await expect(other.look()).rejects.toMatchObject({ code: "agent_exited" });
});

test("runs one exclusive action at a time, even for two host objects", async () => {
  const { home, open } = await openTmux();
  const terminal = await open();
  const again = await createTmuxHost({
    socket: join(home, "tmux.sock"),
    env: process.env,
  }).attachTerminal?.(join(home, "ses_1"));
  const order: string[] = [];
  let leave = () => {};
  const first = terminal.exclusively(async () => {
    order.push("first comes");
    await new Promise<void>((resolve) => {
      leave = resolve;
    });
    order.push("first goes");
  });
  await expect.poll(() => order).toEqual(["first comes"]);
  const second = again?.exclusively(async () => order.push("second comes"));
  leave();
  await Promise.all([first, second]);
  expect(order).toEqual(["first comes", "first goes", "second comes"]);
});

test("ignores the user's tmux settings", async () => {
  const { home, open } = await openTmux();
  await writeFile(join(home, ".tmux.conf"), "set -g status on\nset -g default-command 'false'\n");
  onTestFinished(() => rm(join(home, ".tmux.conf"), { force: true }));
  await shows(await open({ env: { PATH: process.env.PATH ?? "", HOME: home } }), "ready>");
});

test("the source of the tmux host contains no runtime names [s1.migration.blind-host]", async () => {
  const names = (await readdir(import.meta.dirname)).filter((name) => !name.includes(".test."));
  for (const name of names) {
    const text = await readFile(join(import.meta.dirname, name), "utf8");
    expect(text, name).not.toMatch(/claude|codex|droid|opencode/i);
  }
});
