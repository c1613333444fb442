import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTmux, shows } from "../../../test/tmux/scene.ts";

test("shows a program's screen, title and cursor", async () => {
  const { open } = await openTmux();
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
    "quotes and special characters of tmux and shells",
    `it's "$HOME" #{pane_id} \\n ; kill-server ~ %0 \`id\``,
  ],
  ["a dash at the start, as in a list", "- one\n- two"],
  ["the name of an option", "--help"],
  ["non-Latin scripts", "größer 日本語 🙂"],
  ["a text of 200 KB", "0123456789\n".repeat(20_000)],
])("pastes text unchanged, with %s", async (_, text) => {
  const { home, open } = await openTmux();
  const terminal = await open();
  await shows(terminal, "ready>");
  await terminal.paste(text);
  await terminal.press("Enter");
  const input = () => readFile(join(home, "input"), "utf8").catch(() => "");
  await expect
    .poll(input, { timeout: 10_000 })
    .toBe(`\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~\r`);
});

test("does not send escape sequences in pasted text as keys", async () => {
  const { home, open } = await openTmux();
  const terminal = await open();
  await shows(terminal, "ready>");
  await terminal.paste("\x1b[31mred\x1b[0m \x1b[201~\x03\x1b\x1b[201~x\x9b201~ \x00\x04end");
  await terminal.press("Enter");
  const input = () => readFile(join(home, "input"), "utf8").catch(() => "");
  await expect.poll(input).toMatch(/\r$/);
  const pasted = (await input()).slice("\x1b[200~".length, -"\x1b[201~\r".length);
  expect([...pasted].filter((character) => character < " ")).toEqual([]);
  expect(await input()).toMatch(/red .*end/);
});

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
  "starts a program in the directory %j without interpreting its name",
  async (name) => {
    const { home, open } = await openTmux();
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

test("treats the title that a program sets as text", async () => {
  const { home, open } = await openTmux();
  const title = "#(touch ran) #{pane_id} #[fg=red] %H";
  const terminal = await open({
    file: "sh",
    args: ["-c", `printf '\\033]2;%s\\007up' '${title}'; exec sleep 60`],
  });
  await shows(terminal, "up");
  expect((await terminal.look()).title).toBe(title);
  expect(await readdir(home)).not.toContain("ran");
});
