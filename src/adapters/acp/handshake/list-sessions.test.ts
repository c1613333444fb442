import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { acpAdapter } from "../index.ts";

const program = fileURLToPath(new URL("../../../../test/acp/sdk-agent/main.mjs", import.meta.url));

/** Lists the sessions of an agent that uses the official SDK and has the given capabilities. */
async function list(capabilities: readonly string[], query: object = {}) {
  const command = [process.execPath, program, ...capabilities];
  const adapter = acpAdapter({ env: { PATH: process.env.PATH } });
  return adapter.nativeSessions?.({
    host: createLocalHost(),
    limit: 50,
    except: new Set<string>(),
    env: {},
    options: { command, greetingMs: 60_000 },
    ...query,
  });
}

test("reads all pages of session/list, and sorts the newest session first", async () => {
  const sessions = await list(["list"]);
  expect(sessions?.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1].map((n) => `heron-${n}`));
  expect(sessions?.at(-1)).toEqual({
    id: "heron-1",
    title: "Session 1",
    cwd: "/odd",
    updatedAt: "2026-11-01T00:00:00.000Z",
  });
});

test("filters by directory, excluded ids, limit and id, even if the agent returns all sessions", async () => {
  const ids = async (query: object) => (await list(["list"], query))?.map(({ id }) => id);
  expect(await ids({ cwd: "/even" })).toEqual(["heron-6", "heron-4", "heron-2"]);
  const except = new Set(["heron-1", "heron-2"]);
  expect(await ids({ limit: 2, except })).toEqual(["heron-4", "heron-3"]);
  expect(await ids({ id: "heron-5" })).toEqual(["heron-5"]);
});

test("stops if the agent returns the same cursor again", async () => {
  expect(await list(["list", "endless"])).toHaveLength(2);
});

test("rejects an agent that cannot list its sessions", async () => {
  await expect(list([])).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringMatching(/^SDK Agent 1\.2\.3 cannot list its sessions over ACP\./),
  });
});
