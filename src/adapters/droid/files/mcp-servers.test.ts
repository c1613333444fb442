import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { createMapper } from "../events/events.ts";
import { writeMcpServers } from "./mcp-servers.ts";
import { unlinkUserFiles } from "./user-files.ts";

const depths = { command: "/bin/depths", args: ["-x"], env: { DEPTHS_KEY: "k" } };
const away = { type: "sse" as const, url: "http://127.0.0.1:1/mcp", headers: {} };
const ours = {
  depths: { type: "stdio", ...depths, disabled: false },
  away: { ...away, disabled: false },
};

async function newHome() {
  const root = await temporaryDirectory();
  const [home, file] = [join(root, "home"), join(root, "droid-mcp.json")];
  const linkPath = join(home, ".factory", "mcp.json");
  await mkdir(join(home, ".factory"), { recursive: true });
  const write = (userFile?: string) => writeMcpServers({ depths, away }, { file, home, userFile });
  return { root, home, file, linkPath, write };
}

test("writes a session's servers to a private file, and links to the file from Droid's home until the next start", async () => {
  const { file, linkPath, write, home } = await newHome();
  await write();
  expect(JSON.parse(await readFile(linkPath, "utf8"))).toEqual({ mcpServers: ours });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  unlinkUserFiles(home); // as the next start of the session does
  await expect(stat(linkPath)).rejects.toMatchObject({ code: "ENOENT" });
  await writeMcpServers({}, { file, home });
  await expect(stat(linkPath)).rejects.toMatchObject({ code: "ENOENT" });
});

test("adds the user's servers without changing the user's file", async () => {
  const { root, linkPath, write } = await newHome();
  const theirs = '{ "mcpServers": { "mail": { "command": "mail" } }, "other": 1 } // mine';
  await writeFile(join(root, "theirs.json"), theirs);
  await symlink(join(root, "theirs.json"), linkPath);
  await write(join(root, "theirs.json"));
  expect(JSON.parse(await readFile(linkPath, "utf8"))).toEqual({
    mcpServers: { mail: { command: "mail" }, ...ours },
    other: 1,
  });
  expect(await readFile(join(root, "theirs.json"), "utf8")).toBe(theirs);
});

test("emits one warning for a failed server, even if Droid reports it repeatedly", () => {
  const mapper = createMapper();
  const changed = (status: string) => {
    const notification = {
      type: "mcp_status_changed",
      servers: [{ name: "depths", status, error: "no such file" }],
    };
    const params = { notification };
    const method = "droid.session_notification";
    return mapper.map({ jsonrpc: "2.0", type: "notification", method, params });
  };
  expect(changed("connecting")).toEqual([]);
  expect(changed("failed")).toEqual([
    { type: "system", subtype: "warning", text: "MCP server depths: no such file" },
  ]);
  expect(changed("failed")).toEqual([]);
});
