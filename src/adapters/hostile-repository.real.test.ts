import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plantHostileRepository } from "../../test/real/hostile-repository.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import type { Adapter } from "../core/adapter.ts";
import type { Session } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { ModelApi } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { HostName } from "../schema/runtime.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk.ts";
import { claudeToolCalls } from "./claude/tool-calls.ts";
import { codexAdapter } from "./codex/index.ts";
import { codexToolCalls } from "./codex/tool-calls.ts";
import { droidAdapter } from "./droid/index.ts";
import { droidToolCalls } from "./droid/tool-calls.ts";
import { opencodeAdapter } from "./opencode/index.ts";
import { piAdapter } from "./pi/index.ts";
import { piToolCalls } from "./pi/tool-calls.ts";

interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtimesDir: string;
}

interface Case {
  readonly name: string;
  readonly create: (places: Places) => Adapter;
  readonly api: ModelApi;
  readonly shell: (command: string) => { name: string; input: Record<string, unknown> };
  readonly host?: HostName;
  /** The planted files that the runtime cannot be told to ignore: it refuses to start. */
  readonly refuses?: RegExp;
  readonly policies?: readonly PermissionPolicy[];
}

const opencodeShell = (command: string) => ({
  name: "bash",
  input: { command, description: "a command" },
});

const claude = { api: "anthropic", shell: claudeToolCalls.shell } as const;
const codex = { api: "openai-responses", shell: codexToolCalls.shell } as const;
const chat = { api: "openai-chat" } as const;
const onScreen = { host: "tmux", policies: ["ask", "allow-all"] } as const;

const cases: readonly Case[] = [
  { name: "claude", create: claudeAdapter, ...claude },
  { name: "ccsdk", create: ccsdkAdapter, ...claude },
  { name: "codex", create: codexAdapter, ...codex },
  {
    name: "opencode",
    create: opencodeAdapter,
    ...chat,
    shell: opencodeShell,
    refuses: /^opencode.jsonc$|^\.opencode\/plugins?\//,
  },
  { name: "pi", create: piAdapter, ...chat, shell: piToolCalls.shell },
  {
    name: "pi as a process",
    create: (places) => piAdapter({ ...places, mode: "rpc" }),
    ...chat,
    shell: piToolCalls.shell,
    refuses: /^\.pi\/settings/,
    policies: ["ask"],
  },
  {
    name: "droid",
    create: droidAdapter,
    ...chat,
    shell: droidToolCalls.shell,
    refuses: /^\.factory\//,
  },
  { name: "claude on a screen", create: claudeAdapter, ...claude, ...onScreen },
  { name: "codex on a screen", create: codexAdapter, ...codex, ...onScreen },
];

const policies = ["deny", "ask", "allow-edits", "allow-all"] as const;

/** A user with a hostile repository, without the files that match. */
async function openScene({ create, api, shell, host = "local" }: Case, without?: RegExp) {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home };
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const repository = await plantHostileRepository(home, (path) => without?.test(path) !== true);
  onTestFinished(() => repository[Symbol.asyncDispose]());
  const adapter = create({ env, runtimesDir });
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters: [adapter] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  model.on(
    "Scrub the deck.",
    { toolCalls: [shell("sh -c 'echo done > made'")] },
    { text: "Done." },
  );
  const { directory: cwd } = repository;

  const takeTurn = async (permissions: PermissionPolicy, trust?: true) => {
    const from = model.requests.length;
    const request = { runtime: adapter.name, host, permissions, model: model.endpoint(api) };
    const session = await halyard.start({ ...request, cwd, ...(trust && { trust }) });
    void denyAll(session).catch(() => {}); // the outcome says what went wrong
    const { status } = await session.send("Scrub the deck.").outcome;
    const asked = JSON.stringify(model.requests.slice(from));
    return {
      status,
      requests: await countRequests(session),
      ran: await repository.ran(),
      stolen: repository.stolen,
      isInstructed: asked.includes(repository.instructions),
    };
  };
  return { takeTurn, cwd };
}

/** Denies what the session asks for, until it ends. */
async function denyAll(session: Session): Promise<void> {
  for await (const event of session.events()) {
    if (event.type !== "request" || event.verdict !== "ask") continue;
    await session.answer(event.requestId, { decision: "deny" });
  }
}

async function countRequests(session: Session): Promise<number> {
  let requests = 0;
  for await (const { type } of session.events({ follow: false }))
    if (type === "request") requests++;
  return requests;
}

test.each(cases)("$name runs nothing of a hostile repository, under every policy", async (one) => {
  const { takeTurn } = await openScene(one, one.refuses);
  for (const policy of one.policies ?? policies) {
    const { requests, ...turn } = await takeTurn(policy);
    const harmless = { status: "completed", ran: [], stolen: [], isInstructed: true };
    expect(turn, policy).toEqual(harmless);
    if (policy === "ask" || policy === "allow-edits") expect(requests, policy).toBe(1);
  }
});

test.each(cases.filter(({ refuses }) => refuses))(
  "$name refuses to start where it would load code of the repository, and names the file",
  async (one) => {
    const { takeTurn, cwd } = await openScene(one);
    for (const policy of policies)
      await expect(takeTurn(policy), policy).rejects.toMatchObject({
        code: "untrusted_directory",
        message: expect.stringContaining(`halyard trust ${cwd}`),
      });
  },
);

test.each(cases.filter(({ name, host }) => host === undefined && !name.startsWith("pi")))(
  "$name runs what a repository has planted if the caller vouches for it",
  async (one) => {
    const { takeTurn } = await openScene(one);
    const { ran } = await takeTurn("allow-all", true);
    expect(ran).not.toEqual([]);
  },
);
