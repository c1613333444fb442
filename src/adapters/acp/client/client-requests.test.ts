import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSmallAgent } from "../../../../test/acp/open-small-agent.ts";
import { assistantTexts, ofType } from "../../../testing/adapter-suite/conversation.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";

describe("a version 1 client request", () => {
  const write = (path: string) =>
    `!sideways fs/write_text_file ${JSON.stringify({ path, content: "x" })}`;
  const read = (path: string, more = {}) =>
    `!sideways fs/read_text_file ${JSON.stringify({ path, ...more })}`;

  test("reads a file in the working directory, or a range of its lines", async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, "a.txt"), "one\ntwo\nthree\n");
    const agent = await openSmallAgent({ version: 1, request: { cwd } });
    await agent.connection.ready();
    const all = await agent.turn(read(join(cwd, "a.txt")));
    expect(assistantTexts(all.drafts)).toEqual([JSON.stringify({ content: "one\ntwo\nthree\n" })]);
    const some = await agent.turn(read(join(cwd, "a.txt"), { line: 2, limit: 1 }));
    expect(assistantTexts(some.drafts)).toEqual([JSON.stringify({ content: "two\n" })]);
  });

  test("cannot access a file outside the working directory, not even through a link", async () => {
    const outside = await temporaryDirectory();
    const cwd = await temporaryDirectory();
    await writeFile(join(outside, "secret"), "s");
    await symlink(outside, join(cwd, "link"));
    const agent = await openSmallAgent({ version: 1, decision: "allow", request: { cwd } });
    await agent.connection.ready();
    for (const path of [
      join(outside, "secret"),
      join(cwd, "link", "secret"),
      "../x",
      "/etc/passwd",
    ])
      expect(assistantTexts((await agent.turn(read(path))).drafts)[0]).toMatch(
        /^refused: .*outside/,
      );
    for (const path of [join(outside, "new"), join(cwd, "link", "new")])
      expect(assistantTexts((await agent.turn(write(path))).drafts)[0]).toMatch(
        /^refused: .*outside/,
      );
    await expect(readFile(join(outside, "new"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.each([
    ["allow", "x"],
    ["deny", undefined],
  ] as const)("writes a file only with permission: %s", async (decision, content) => {
    const cwd = await temporaryDirectory();
    const agent = await openSmallAgent({ version: 1, decision, request: { cwd } });
    await agent.connection.ready();
    const { drafts } = await agent.turn(write(join(cwd, "deep", "a.txt")));
    expect(ofType(drafts, "request")).toMatchObject([
      { tool: { name: "write_text_file", kind: "edit" } },
    ]);
    const found = await readFile(join(cwd, "deep", "a.txt"), "utf8").catch(() => undefined);
    expect(found).toBe(content);
  });

  test("does not run a command if permission is denied or the session only plans", async () => {
    const cwd = await temporaryDirectory();
    const run = `!sideways terminal/create ${JSON.stringify({ command: "touch a.txt" })}`;
    const denied = await openSmallAgent({ version: 1, decision: "deny", request: { cwd } });
    await denied.connection.ready();
    expect(ofType((await denied.turn(run)).drafts, "request")).toMatchObject([
      { tool: { kind: "execute", input: { command: "touch a.txt" } } },
    ]);
    const planning = await openSmallAgent({
      version: 1,
      decision: "allow",
      request: { cwd, plan: true },
    });
    await planning.connection.ready();
    const { drafts } = await planning.turn(run);
    expect(ofType(drafts, "request")).toEqual([]);
    expect(assistantTexts(drafts)[0]).toMatch(/^refused: Permission denied/);
    await expect(readFile(join(cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
