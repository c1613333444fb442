import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Adapter } from "../contracts/adapter.ts";
import { createLocalHost } from "../hosts/local/index.ts";
import { sampleRequest } from "../testing/sample-request.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { claudeAdapter } from "./claude/index.ts";
import { prepareCodex } from "./codex/connect.ts";
import { codexAdapter } from "./codex/index.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";
import { piAdapter } from "./pi/index.ts";

const everything = {
  host: createLocalHost(),
  limit: 10,
  except: new Set<string>(),
  env: {},
  options: {},
};

const id = "01a1eda9-eb2c-7e42-b63b-b40c4352ad3e";
const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
const prompt = (text: string) => ({
  type: "response_item",
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const meta = (source: unknown) => ({ type: "session_meta", payload: { id, cwd: "/work", source } });

interface Recorder {
  readonly name: string;
  /** The path of a record, relative to the user's home. */
  readonly file: string;
  create(options: { env: Record<string, string>; runtimesDir: string }): Adapter;
  /** Records and the sessions that are listed for them. `expected` is undefined if a record is not a session of the user. */
  readonly records: readonly (readonly [
    title: string,
    entries: readonly unknown[],
    expected: object | undefined,
  ])[];
}

const listed = (title: string) => ({ id, title, cwd: "/work" });

const recorders: readonly Recorder[] = [
  {
    name: "claude",
    file: `.claude/projects/-work/${id}.jsonl`,
    create: claudeAdapter,
    records: [
      [
        "a session with its prompt as the title",
        [{ ...user("Fix it"), cwd: "/work" }],
        listed("Fix it"),
      ],
      [
        "a session with its first typed prompt as the title",
        [
          { ...user("<command-name>/clear</command-name>"), cwd: "/work" },
          user([{ type: "text", text: "Fix it" }]),
        ],
        listed("Fix it"),
      ],
      [
        "a session with the user's title",
        [
          { ...user("Fix it"), cwd: "/work" },
          { type: "ai-title", aiTitle: "Fixes" },
          { type: "custom-title", customTitle: "Mine" },
        ],
        listed("Mine"),
      ],
      [
        "nothing for a subagent",
        [{ ...user("Fix it"), isSidechain: true, cwd: "/work" }],
        undefined,
      ],
      ["nothing without a prompt", [{ type: "mode", cwd: "/work" }], undefined],
    ],
  },
  {
    name: "codex",
    file: `.codex/sessions/2026/11/18/rollout-2026-11-18T07-58-18-${id}.jsonl`,
    create: codexAdapter,
    records: [
      [
        "a session with its first typed message as the title",
        [
          meta("cli"),
          prompt("# AGENTS.md instructions for /work"),
          prompt("<environment_context>"),
          prompt("Fix it"),
        ],
        listed("Fix it"),
      ],
      ["nothing for a subagent", [meta({ subagent: "review" }), prompt("Fix it")], undefined],
      ["nothing without a message", [meta("cli")], undefined],
    ],
  },
  {
    name: "pi",
    file: `.pi/agent/sessions/--work--/2026-11-18T07-58-56-692Z_${id}.jsonl`,
    create: piAdapter,
    records: [
      [
        "a session with its first message as the title",
        [
          { type: "session", id, cwd: "/work" },
          { type: "message", message: { role: "user", content: [{ text: "Fix it" }] } },
        ],
        listed("Fix it"),
      ],
      [
        "a session with the user's name as the title",
        [
          { type: "session", id, cwd: "/work" },
          { type: "message", message: { role: "user", content: "Fix it" } },
          { type: "session_info", name: "Mine" },
        ],
        listed("Mine"),
      ],
      ["nothing without a header", [{ type: "message" }], undefined],
    ],
  },
  {
    name: "droid",
    file: `.factory/sessions/-work/${id}.jsonl`,
    create: droidAdapter,
    records: [
      [
        "a session with its title",
        [{ type: "session_start", id, title: "Fix it", cwd: "/work" }],
        listed("Fix it"),
      ],
      [
        "nothing for a subagent",
        [{ type: "session_start", id, title: "Fix it", cwd: "/work", callingSessionId: "other" }],
        undefined,
      ],
    ],
  },
];

describe.each(recorders)("$name", ({ file, create, records }) => {
  async function newRecord() {
    const home = await temporaryDirectory();
    const path = join(home, file);
    await mkdir(dirname(path), { recursive: true });
    const adapter = create({ env: { HOME: home }, runtimesDir: join(home, "runtimes") });
    return { path, list: (query = {}) => adapter.nativeSessions?.({ ...everything, ...query }) };
  }

  test.each(records)("lists %s", async (_, entries, expected) => {
    const { path, list } = await newRecord();
    await writeFile(path, entries.map((entry) => JSON.stringify(entry)).join("\n"));
    expect(await list()).toMatchObject(expected ? [expected] : []);
    expect(await list({ cwd: "/work" })).toHaveLength(expected ? 1 : 0);
    expect(await list({ cwd: "/other" })).toEqual([]);
  });

  test("never throws, whatever a record contains", async () => {
    const { path, list } = await newRecord();
    const genuine = records.flatMap(([, entries]) => entries);
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(...genuine),
      fc.record(
        {
          type: fc.constantFrom("session", "session_meta", "session_start", "user", "message"),
          payload: fc.jsonValue(),
          message: fc.jsonValue(),
          cwd: fc.jsonValue(),
          title: fc.jsonValue(),
        },
        { requiredKeys: ["type"] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry), async (entries) => {
        await writeFile(path, entries.map((one) => JSON.stringify(one)).join("\n"));
        expect((await list())?.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});

describe("archived threads of codex", () => {
  const name = `rollout-2026-11-18T07-58-18-${id}.jsonl`;
  const archived = join("archived_sessions", name);
  const original = join("sessions", "2026", "11", "18", name);

  async function newHome(records: Record<string, string>) {
    const home = await temporaryDirectory();
    const CODEX_HOME = join(home, ".codex");
    const bin = join(home, "fake-codex");
    await writeFile(bin, "#!/bin/sh\necho codex-cli 99.0.0\n");
    await chmod(bin, 0o755);
    for (const [path, title] of Object.entries(records)) {
      const file = join(CODEX_HOME, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(
        file,
        [meta("cli"), prompt(title)].map((one) => JSON.stringify(one)).join("\n"),
      );
    }
    const env = { PATH: process.env.PATH, CODEX_HOME };
    return { home, env, bin, runtimesDir: join(home, "runtimes") };
  }

  test.each([
    [{ [archived]: "Archived" }, "Archived"],
    [{ [archived]: "Archived", [original]: "Original" }, "Original"],
  ])("lists %j as the session %s, once", async (records, title) => {
    const { env, runtimesDir } = await newHome(records);
    const adapter = codexAdapter({ env, runtimesDir });
    const sessions = await adapter.nativeSessions?.({ ...everything, cwd: "/work" });
    expect(sessions).toEqual([{ ...listed(title), updatedAt: expect.any(String) }]);
  });

  test("copies an archived rollout to the directory in which Codex finds it", async () => {
    const { home, env, bin, runtimesDir } = await newHome({ [archived]: "Archived" });
    const stateDir = join(home, "state");
    const request = sampleRequest({
      host: everything.host,
      cwd: home,
      runDir: join(home, "run"),
      stateDir,
      model: { id: "m", baseUrl: "http://127.0.0.1:1/v1" },
      fork: { runtimeSessionId: id },
    });
    await prepareCodex(request, { env, runtimesDir, bin });
    const copy = await readFile(join(stateDir, "codex", original), "utf8");
    expect(copy).toBe(await readFile(join(env.CODEX_HOME, archived), "utf8"));
  });
});

describe("opencode", () => {
  async function newDatabase(statements: string) {
    const home = await temporaryDirectory();
    const directory = join(home, ".local", "share", "opencode");
    await mkdir(directory, { recursive: true });
    using database = new DatabaseSync(join(directory, "opencode.db"));
    database.exec(statements);
    const adapter = opencodeAdapter({ env: { HOME: home }, runtimesDir: home });
    return (query = {}) => adapter.nativeSessions?.({ ...everything, ...query });
  }

  const table =
    "CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_updated INTEGER);";

  test("lists the sessions of its database, without subagents", async () => {
    const list = await newDatabase(`${table}
      INSERT INTO session VALUES ('ses_1', NULL, 'Fix it', '/work', 1000);
      INSERT INTO session VALUES ('ses_2', NULL, NULL, '/other', 3000);
      INSERT INTO session VALUES ('ses_3', 'ses_1', 'Subtask', '/work', 2000);
      INSERT INTO session VALUES (7, NULL, 'Damaged', '/work', 'never');`);
    const first = {
      id: "ses_1",
      title: "Fix it",
      cwd: "/work",
      updatedAt: "1970-01-01T00:00:01.000Z",
    };
    const second = { id: "ses_2", cwd: "/other", updatedAt: "1970-01-01T00:00:03.000Z" };
    expect(await list({ id: "ses_" })).toEqual([second, first]);
    expect(await list({ id: "ses_", cwd: "/work" })).toEqual([first]);
    expect(await list({ id: "ses_", except: new Set(["ses_2"]), limit: 1 })).toEqual([first]);
  });

  test("rejects a database with another format", async () => {
    const list = await newDatabase("CREATE TABLE other (id TEXT)");
    await expect(list()).rejects.toMatchObject({ code: "unsupported" });
  });
});
