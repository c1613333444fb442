import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { AcpMapper } from "../events/events.ts";
import { readTextFile, writeTextFile } from "./files.ts";

describe("permission for a call", () => {
  const options = [
    { optionId: "a", name: "Always", kind: "allow_always" },
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ];

  /** Creates a mapper that has received a permission request. The request is settled by default. */
  function asked(toolCall: Record<string, unknown>, { isSettled = true } = {}) {
    const mapper = new AcpMapper({ isOpen: () => true, isSettled: () => isSettled });
    mapper.begin("turn", 1_000_001);
    const drafts = mapper.map({
      jsonrpc: "2.0",
      id: 1,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "c", ...toolCall }, options },
    });
    const call = (method: string, params: object) =>
      mapper.map({ jsonrpc: "2.0", id: 2, method, params: { sessionId: "s", ...params } });
    return { mapper, drafts, call };
  }

  const requests = (drafts: readonly EventDraft[]) =>
    drafts.flatMap((draft) => (draft.type === "request" ? [draft.tool?.kind] : []));

  const execute = { kind: "execute", rawInput: { command: "npm test" } };

  test.each([
    [{ command: "npm test" }],
    [{ command: "npm", args: ["test"] }],
    [{ command: "/bin/bash", args: ["-c", "npm test"] }],
  ])("covers the requested command %j", (params) => {
    expect(requests(asked(execute).call("terminal/create", params))).toEqual([]);
  });

  test.each([
    [{ command: "npm test; rm -rf x" }],
    [{ command: "rm" }],
    [{ command: "npm" }],
    [{ command: "bash", args: ["-c", "rm x"] }],
  ])("does not cover the command %j", (params) => {
    expect(requests(asked(execute).call("terminal/create", params))).toEqual(["execute"]);
  });

  test("does not cover a command that was requested as a read, even if the agent changes the kind later", () => {
    const { mapper, call } = asked({ kind: "read", rawInput: { command: "npm test" } });
    const update = { sessionUpdate: "tool_call_update", toolCallId: "c", kind: "execute" };
    mapper.map({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
    expect(requests(call("terminal/create", { command: "npm test" }))).toEqual(["execute"]);
  });

  test("keeps the kind `execute` of a tool call if its permission request has the kind `read`", () => {
    const mapper = new AcpMapper({ isOpen: () => true });
    mapper.begin("turn", 1_000_001);
    const update = { sessionUpdate: "tool_call", toolCallId: "c", kind: "execute", title: "x" };
    mapper.map({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });
    const drafts = mapper.map({
      jsonrpc: "2.0",
      id: 1,
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: { toolCallId: "c", kind: "read" }, options },
    });
    expect(requests(drafts)).toEqual(["execute"]);
  });

  test("covers nothing before it is granted", () => {
    const { call } = asked(execute, { isSettled: false });
    expect(requests(call("terminal/create", { command: "npm test" }))).toEqual(["execute"]);
  });

  test("covers only the files that the edit names", () => {
    const { call, drafts } = asked({ kind: "edit", locations: [{ path: "/w/abc" }] });
    expect(drafts).toContainEqual(expect.objectContaining({ type: "request", paths: ["/w/abc"] }));
    const write = (path: string) => requests(call("fs/write_text_file", { path, content: "" }));
    expect([write("/w/abc"), write("/w/ab"), write("/w/abcd")]).toEqual([[], ["edit"], ["edit"]]);
  });

  test("does not offer the agent's own `allow_always` option", () => {
    expect(asked(execute).drafts.at(-1)).toMatchObject({
      options: [{ id: "y" }, { id: "n" }],
    });
  });
});

describe("client files", () => {
  async function scene() {
    const top = await temporaryDirectory();
    const cwd = join(top, "work");
    await mkdir(join(cwd, ".git"), { recursive: true });
    await symlink(join(top, "created"), join(cwd, "dangling"));
    await symlink(top, join(cwd, "out"));
    await writeFile(join(top, "secret"), "x");
    return { top, cwd, scope: { cwd, protectedDirs: [] } };
  }

  test("are written in the working directory, including new subdirectories", async () => {
    const { cwd, scope } = await scene();
    await writeTextFile(scope, { path: join(cwd, "a/b.txt"), content: "long" });
    await writeTextFile(scope, { path: join(cwd, "a/b.txt"), content: "x" });
    expect(await readFile(join(cwd, "a/b.txt"), "utf8")).toBe("x");
    expect(await readTextFile(scope, { path: "a/b.txt" })).toEqual({ content: "x" });
  });

  test.each(["dangling", "out/created", "../created", "out/work/../created"])(
    "are not created outside the working directory through %s",
    async (path) => {
      const { top, cwd, scope } = await scene();
      const written = writeTextFile(scope, { path: `${cwd}/${path}`, content: "x" });
      await expect(written).rejects.toThrow();
      expect(existsSync(join(top, "created"))).toBe(false);
    },
  );

  test("are not read through a link that leads outside the working directory", async () => {
    const { cwd, scope } = await scene();
    await expect(readTextFile(scope, { path: join(cwd, "out/secret") })).rejects.toThrow("outside");
  });
});
