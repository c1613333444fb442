import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { realAgents } from "../../test/real/acp-agents.ts";
import {
  type AgentUser,
  hashesIn,
  type OwnAgent,
  ownAgents,
  startAgentUser,
} from "../../test/real/own-agents.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import type { ScenePaths } from "../../test/real/scene.ts";
import type { Adapter } from "../contracts/adapter.ts";
import { createHalyard } from "../create-halyard.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";
import { acpAdapter } from "./acp/index.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk/sdk.ts";
import { codexAdapter } from "./codex/index.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";
import { piAdapter } from "./pi/index.ts";

/** How Halyard continues the sessions of an agent. */
interface Way {
  /** The title of the runtime in the other suites. */
  readonly title: string;
  readonly agent: OwnAgent;
  adapter(paths: ScenePaths): Adapter;
  /** The command of an ACP agent. */
  readonly command?: readonly string[];
  /** True if the session uses the user's own settings for its model. Otherwise the test sets the model. */
  readonly isOwnModel?: true;
  /** True if the agent writes the copy to the same database, so that only the rows of the original stay the same. */
  readonly isDatabaseShared?: boolean;
}

/** Returns the way to continue an agent's sessions over ACP. */
function overAcp(title: string, agent: OwnAgent): Way {
  const { command = [] } = realAgents.find((one) => one.title === title) ?? {};
  const isDatabaseShared = agent === ownAgents.opencode;
  return { title, agent, adapter: acpAdapter, command, isOwnModel: true, isDatabaseShared };
}

/** Returns the rows of one of OpenCode's sessions. */
function rowsOf(directory: string, id: string): object {
  using database = new DatabaseSync(join(directory, "opencode.db"), { readOnly: true });
  const select = (table: string, column: string) =>
    database.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY id`).all(id);
  const all = [
    select("session", "id"),
    select("message", "session_id"),
    select("part", "session_id"),
  ];
  return { ...all };
}

const ways: readonly Way[] = [
  { title: "Claude Code", agent: ownAgents.claude, adapter: claudeAdapter, isOwnModel: true },
  { title: "Claude Agent SDK", agent: ownAgents.claude, adapter: ccsdkAdapter },
  { title: "Codex", agent: ownAgents.codex, adapter: codexAdapter },
  { title: "opencode", agent: ownAgents.opencode, adapter: opencodeAdapter },
  { title: "Pi in this process", agent: ownAgents.pi, adapter: piAdapter },
  { title: "Factory Droid", agent: ownAgents.droid, adapter: droidAdapter },
  overAcp("opencode acp", ownAgents.opencode),
  overAcp("claude-agent-acp", ownAgents.claude),
];

const FIRST = "I saw a blue heron.";

let model: ScriptedModel;
/** The users of the agents, each with one session. Several ways continue the same session. */
const users = new Map<OwnAgent, Promise<AgentUser>>();

beforeAll(async () => {
  model = await startScriptedModel();
  model.on("blue heron", { text: "Noted." });
  model.on("Which bird", { text: "A heron." });
});

afterAll(async () => {
  for (const { home } of await Promise.all(users.values()))
    await rm(home, { recursive: true, force: true });
  await model.close();
});

for (const { title, agent, adapter, command, isOwnModel, isDatabaseShared } of ways)
  describe(title, () => {
    describe("native-sessions", () => {
      test("lists a session of the user and continues a copy of it", async () => {
        const user = users.get(agent) ?? startAgentUser(agent, model, FIRST);
        users.set(agent, user);
        const { home, cwd, env } = await user;
        const records = join(home, agent.records);
        const created = adapter({ env, runtimesDir });
        const runtime = created.name;
        const halyard = await createHalyard({
          home: join(home, "halyard"),
          env,
          adapters: [created],
        });
        onTestFinished(() => halyard[Symbol.asyncDispose]());
        const options = command ? { command: [...command], passEnv: Object.keys(env) } : {};
        const listed = await halyard.nativeSessions(runtime, { cwd, options });
        expect(listed).toEqual([
          {
            id: expect.any(String),
            cwd,
            title: expect.stringMatching(/\S/),
            updatedAt: expect.any(String),
          },
        ]);
        const [{ id = "" } = {}] = listed;
        const record = () => (isDatabaseShared ? rowsOf(records, id) : hashesIn(records));
        const before = await record();
        expect(await halyard.nativeSessions(runtime, { cwd: home, options })).toEqual([]);
        const session = await halyard.start({
          runtime,
          cwd,
          continuedFrom: id,
          permissions: "deny",
          ...(!isOwnModel && { model: model.endpoint(agent.api) }),
          options,
        });
        const sent = model.requests.length;
        expect(await session.send("Which bird?").outcome).toMatchObject({
          status: "completed",
          text: "A heron.",
        });
        expect(JSON.stringify(model.requests.slice(sent))).toContain(FIRST);
        expect(session.info).toMatchObject({ continuedFrom: id });
        expect(session.info.runtimeSessionId).not.toBe(id);
        await session.stop();
        expect(await record()).toMatchObject(before);
      });
    });
  });
