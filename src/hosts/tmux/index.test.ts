import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Command } from "../../core/host.ts";
import type { Terminal } from "../../core/terminal.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { readProcess } from "../local/process-table.ts";
import { createTmuxHost } from "./index.ts";

/** A program that shows what it is given, and what it was told so far. */
const ECHO = `
process.stdin.setRawMode?.(true);
process.stdout.write("\\x1b[?2004h\\x1b]2;idle\\x07ready>");
process.stdin.on("data", (data) => {
  const text = String(data);
  require("node:fs").appendFileSync("heard", text);
  process.stdout.write(text.includes("quit") ? "" : text.replaceAll("\\r", "\\r\\n"));
  if (text === "\\x03") process.exit(7);
});
`;

async function openPlace() {
  const home = await temporaryDirectory();
  const host = createTmuxHost({ socket: join(home, "tmux.sock"), env: process.env });
  const open = async (changes: Partial<Command> = {}, name = "ses_1") => {
    const terminal = await host.openTerminal?.(
      {
        file: process.execPath,
        args: ["-e", ECHO],
        cwd: home,
        env: { PATH: process.env.PATH ?? "" },
        ...changes,
      },
      { runDir: join(home, name) },
    );
    if (terminal === undefined) throw new Error("no terminal");
    onTestFinished(() => terminal.terminate({ graceMs: 0 }));
    return terminal;
  };
  return { home, host, open };
}

async function shows(terminal: Terminal, text: string): Promise<void> {
  await expect.poll(async () => (await terminal.look()).lines.join("\n")).toContain(text);
}

const alive = (pid: number): boolean => readProcess(pid)?.ended === false;

test("a program has a screen, a title and a cursor", async () => {
  const { open } = await openPlace();
  const terminal = await open();
  await shows(terminal, "ready>");
  const screen = await terminal.look();
  expect(screen).toMatchObject({ title: "idle", cursor: { row: 0, column: 6 } });
  expect(screen.lines[0]).toBe("ready>");
  expect(await terminal.health()).toBe("alive");
});

test.each([
  ["lines", "one\n  two, indented\n\n\tthree"],
  [
    "quotes and what tmux and shells would read",
    `it's "$HOME" #{pane_id} \\n ; kill-server ~ %0 \`id\``,
  ],
  ["other scripts", "größer 日本語 🙂"],
  ["a text of 200 KB", "0123456789\n".repeat(20_000)],
])("what is pasted arrives as it is, with %s", async (_, text) => {
  const { home, open } = await openPlace();
  const terminal = await open();
  await shows(terminal, "ready>");
  await terminal.paste(text);
  await terminal.press("Enter");
  const heard = () => readFile(join(home, "heard"), "utf8").catch(() => "");
  await expect
    .poll(heard, { timeout: 10_000 })
    .toBe(`\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~\r`);
});

test("escape sequences in what is pasted do not reach the program as keys", async () => {
  const { home, open } = await openPlace();
  const terminal = await open();
  await shows(terminal, "ready>");
  await terminal.paste("\x1b[31mred\x1b[0m \x1b[201~\x03\x1b\x1b[201~x\x9b201~ \x00\x04end");
  await terminal.press("Enter");
  const heard = () => readFile(join(home, "heard"), "utf8").catch(() => "");
  await expect.poll(heard).toMatch(/\r$/);
  const pasted = (await heard()).slice("\x1b[200~".length, -"\x1b[201~\r".length);
  expect([...pasted].filter((character) => character < " ")).toEqual([]);
  expect(await heard()).toMatch(/red .*end/);
});

/** util-linux, which gives a program a console. */
const SCRIPT = "/usr/bin/script";

const HOSTILE = [
  "x #(touch ran)",
  "F#Sharp",
  "##(touch ran)",
  "#[fg=red]a##[b",
  "#{pane_id} #{l:x} #S #H",
  "%H:%M 100%",
  'it\'s $HOME "q" \\ ;touch ran; `touch ran` $(touch ran)',
  "-x",
  "two\nlines ",
  " ünï 日本 🙂",
];

test.each(HOSTILE)(
  "a program starts in the directory %j, and its name runs nothing",
  async (name) => {
    const { home, open } = await openPlace();
    const cwd = join(home, name);
    await mkdir(cwd);
    const file = "sh";
    const args = ["-c", 'printf %s "$PWD" > "$0"; printf "%s\\n" "$@"; exec sleep 60', "where"];
    const env = { PATH: process.env.PATH ?? "", NAME: name };
    const terminal = await open(
      { file, args: [...args, name], cwd, env },
      `ses ${name.replaceAll("\n", "")}`,
    );
    await expect.poll(() => readFile(join(cwd, "where"), "utf8").catch(() => "")).toBe(cwd);
    await terminal.look();
    expect([...(await readdir(home)), ...(await readdir(cwd))]).not.toContain("ran");
  },
);

test("a title set by the program is text, and runs nothing", async () => {
  const { home, open } = await openPlace();
  const title = "#(touch ran) #{pane_id} #[fg=red] %H";
  const terminal = await open({
    file: "sh",
    args: ["-c", `printf '\\033]2;%s\\007up' '${title}'; exec sleep 60`],
  });
  await shows(terminal, "up");
  expect((await terminal.look()).title).toBe(title);
  expect(await readdir(home)).not.toContain("ran");
});

/** A person at the keyboard of the same tmux server. */
function personAt(home: string, ...args: string[]) {
  return promisify(execFile)("tmux", ["-S", join(home, "tmux.sock"), ...args], { cwd: home });
}

test("messages go to the program's own pane, whatever a person does to the window", async () => {
  const { home, open } = await openPlace();
  const terminal = await open();
  await shows(terminal, "ready>");
  const shell = `cat > '${join(home, "typed-into-my-shell")}'`;
  await personAt(home, "split-window", "-t", "=ses_1:", shell);
  await personAt(home, "new-window", "-t", "=ses_1:", shell);
  await personAt(home, "rename-session", "-t", "=ses_1", "mine");
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
  await expect(personAt(home, "list-sessions")).rejects.toThrow(/no server|error connecting/);
  expect(await readFile(join(home, "typed-into-my-shell"), "utf8")).toBe("");
});

test("a person who scrolls does not hold up what is typed", async () => {
  const { home, open } = await openPlace();
  const terminal = await open();
  await shows(terminal, "ready>");
  for (const mode of [["copy-mode"], ["copy-mode", "-u"], ["choose-tree"], ["clock-mode"]]) {
    const [command = "", ...flags] = mode;
    await personAt(home, command, ...flags, "-t", "=ses_1:");
    await terminal.paste(`during ${mode.join(" ")}`);
    await terminal.press("Enter");
    const heard = () => readFile(join(home, "heard"), "utf8");
    await expect.poll(heard).toMatch(new RegExp(`during ${mode.join(" ")}\\x1b\\[201~\\r$`));
  }
});

test.each([
  ["pane", ["kill-pane", "-t", "=ses_1:"], "its tmux pane was closed"],
  ["server", ["kill-server"], "its tmux server was killed"],
])("a killed %s is an error with that reason", async (_, kill, reason) => {
  const { home, open } = await openPlace();
  await open({}, "ses_2"); // so that the server stays up
  const terminal = await open();
  await shows(terminal, "ready>");
  await personAt(home, ...kill);
  expect(await terminal.exit).toEqual({ reason });
  const message = expect.stringContaining(reason);
  await expect(terminal.look()).rejects.toMatchObject({ code: "agent_exited", message });
  await expect(terminal.paste("x")).rejects.toMatchObject({ code: "agent_exited", message });
});

test("a pane of another server with the same number is not typed into", async () => {
  const { home, open } = await openPlace();
  const file = "sh";
  const args = ["-c", "trap '' HUP; echo up; while :; do sleep 0.1; done"];
  const terminal = await open({ file, args });
  await shows(terminal, "up");
  await personAt(home, "kill-server");
  const another = ["-f", "/dev/null", "new-session", "-d", "-s", "ses_1", "cat > theirs"];
  await vi.waitFor(() => personAt(home, ...another)); // the killed server may still be there
  onTestFinished(async () => void (await personAt(home, "kill-server").catch(() => {})));
  await expect(terminal.paste("x")).rejects.toMatchObject({ code: "agent_exited" });
  expect(await terminal.health()).toBe("alive");
});

test("a small console does not make the screen too small to be read, and leaves it as it was", async () => {
  const { home, open } = await openPlace();
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

test("its environment is what it was given, and holds no way to the server", async () => {
  const { home, open } = await openPlace();
  const env = { PATH: process.env.PATH ?? "", SECRET: "it's $a\nsecret", GT_ROLE: "witness" };
  const file = "sh";
  await open({ file, args: ["-c", "env -0 > env; exec sleep 60"], env });
  const seen = async () => (await readFile(join(home, "env"), "utf8").catch(() => "")).split("\0");
  await expect.poll(seen).toContain("GT_ROLE=witness");
  expect(await seen()).toContain("SECRET=it's $a\nsecret");
  expect((await seen()).filter((line) => line.startsWith("TMUX"))).toEqual([]);
});

test("a program that ends early is noticed, and its last words stay on the screen", async () => {
  const { open } = await openPlace();
  const terminal = await open({ file: "sh", args: ["-c", "sleep 0.2; echo no login; exit 3"] });
  expect(await terminal.exit).toEqual({ code: 3 });
  expect(await terminal.health()).toBe("dead");
  await shows(terminal, "no login");
});

test("a program that is not there is said to be missing", async () => {
  const { open } = await openPlace();
  const words = await open({ file: "no-such-program" }).then(
    async (terminal) => {
      await terminal.exit;
      return (await terminal.look()).lines.join("\n");
    },
    ({ message }: Error) => message,
  );
  expect(words).toContain("no-such-program");
});

test("it is found again by somebody else, and goes on meanwhile", async () => {
  const { home, host, open } = await openPlace();
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

test("to end it ends all it started, and the server with the last one", async () => {
  const { home, open } = await openPlace();
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
  expect([alive(stubborn.identity.pid), alive(await child())]).toEqual([false, false]);
  await shows(other, "ready>");
  await other.terminate({ graceMs: 1000 });
  await expect(other.look()).rejects.toMatchObject({ code: "agent_exited" });
});

test("one of us writes at a time", async () => {
  const { home, open } = await openPlace();
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

test("a user's own tmux settings do not matter", async () => {
  const { home, open } = await openPlace();
  await writeFile(join(home, ".tmux.conf"), "set -g status on\nset -g default-command 'false'\n");
  onTestFinished(() => rm(join(home, ".tmux.conf"), { force: true }));
  await shows(await open({ env: { PATH: process.env.PATH ?? "", HOME: home } }), "ready>");
});

test("the host knows no runtime [s1.migration.blind-host]", async () => {
  const names = (await readdir(import.meta.dirname)).filter((name) => !name.includes(".test."));
  for (const name of names) {
    const text = await readFile(join(import.meta.dirname, name), "utf8");
    expect(text, name).not.toMatch(/claude|codex|droid|opencode/i);
  }
});
