import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plantHostileRepository, refusedFiles } from "../../test/real/hostile-repository.ts";
import { piProgram } from "../../test/real/runtimes-dir.ts";
import { createScene, type ScenePaths } from "../../test/real/scene.ts";
import type { Adapter } from "../contracts/adapter.ts";
import type { Session } from "../contracts/halyard.ts";
import type { HostName } from "../schema/host.ts";
import type { ModelApi } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import { claudeToolCalls } from "./claude/events/tool-calls.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk/sdk.ts";
import { codexToolCalls } from "./codex/events/tool-calls.ts";
import { codexAdapter } from "./codex/index.ts";
import { droidToolCalls } from "./droid/events/tool-calls.ts";
import { droidAdapter } from "./droid/index.ts";
import { opencodeAdapter } from "./opencode/index.ts";
import { piToolCalls } from "./pi/events/tool-calls.ts";
import { piAdapter } from "./pi/index.ts";

interface Case {
  readonly name: string;
  readonly create: (places: ScenePaths) => Adapter;
  readonly api: ModelApi;
  readonly shell: (command: string) => { name: string; input: Record<string, unknown> };
  readonly host?: HostName;
  readonly policies: readonly PermissionPolicy[];
}

const opencodeShell = (command: string) => ({
  name: "bash",
  input: { command, description: "a command" },
});

const claude = { api: "anthropic", shell: claudeToolCalls.shell } as const;
const codex = { api: "openai-responses", shell: codexToolCalls.shell } as const;
const chat = { api: "openai-chat" } as const;
const policies = ["deny", "ask", "allow-edits", "allow-all"] as const;
/**
 * Selects only the loosest policy, because hostile-agent.attack.test.ts covers the other policies of these programs in the
 * same repository.
 */
const loosest = { policies: ["allow-all"] } as const;
const onScreen = { host: "tmux", ...loosest } as const;

const cases: readonly Case[] = [
  { name: "claude", create: claudeAdapter, ...claude, ...loosest },
  { name: "ccsdk", create: ccsdkAdapter, ...claude, ...loosest },
  { name: "codex", create: codexAdapter, ...codex, ...loosest },
  { name: "opencode", create: opencodeAdapter, ...chat, shell: opencodeShell, ...loosest },
  { name: "pi", create: piAdapter, ...chat, shell: piToolCalls.shell, policies },
  {
    name: "pi as a process",
    create: (places) => piAdapter({ ...places, mode: "rpc", bin: piProgram }),
    ...chat,
    shell: piToolCalls.shell,
    ...loosest,
  },
  { name: "droid", create: droidAdapter, ...chat, shell: droidToolCalls.shell, ...loosest },
  { name: "claude on a screen", create: claudeAdapter, ...claude, ...onScreen },
  { name: "codex on a screen", create: codexAdapter, ...codex, ...onScreen },
];

/** Creates a home and a hostile repository without the files that match `without`. */
async function openScene({ create, api, shell, host = "local" }: Case, without?: RegExp) {
  let runtime = "";
  const scene = await createScene((places) => {
    const adapter = create(places);
    runtime = adapter.name;
    return [adapter];
  });
  const { home, halyard, model } = scene;
  const repository = await plantHostileRepository(home, (path) => without?.test(path) !== true);
  model.on(
    "Scrub the deck.",
    { toolCalls: [shell("sh -c 'echo done > made'")] },
    { text: "Done." },
  );
  const { directory: cwd } = repository;

  const takeTurn = async (permissions: PermissionPolicy, { trust = false, at = cwd } = {}) => {
    const from = model.requests.length;
    const request = { runtime, host, permissions, model: model.endpoint(api) };
    const session = await halyard.start({ ...request, cwd: at, ...(trust && { trust }) });
    void denyAll(session).catch(() => {}); // the outcome reports the error
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
  return {
    takeTurn,
    cwd,
    /** Creates a link to a subdirectory of the repository, in a directory without settings. Returns the link's path. */
    async linkInto() {
      const link = join(home, "innocent");
      await mkdir(join(cwd, "sub"));
      await symlink(join(cwd, "sub"), link);
      return link;
    },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await repository[Symbol.asyncDispose]();
    },
  };
}

/** Denies all requests that the policy does not decide, until the session ends. */
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

// The tests run concurrently, because a turn mostly waits for a program.
test.concurrent.each(cases)("$name runs no program from a hostile repository", async (one) => {
  await using scene = await openScene(one, refusedFiles[one.name]);
  for (const policy of one.policies) {
    const { requests, ...turn } = await scene.takeTurn(policy);
    const harmless = { status: "completed", ran: [], stolen: [], isInstructed: true };
    expect(turn, policy).toEqual(harmless);
    if (policy === "ask" || policy === "allow-edits") expect(requests, policy).toBe(1);
  }
});

test.concurrent.each(cases.filter(({ name }) => refusedFiles[name]))(
  "$name does not start if it would load code from the repository, and the error contains the command that trusts the repository",
  async (one) => {
    await using scene = await openScene(one);
    for (const policy of policies)
      await expect(scene.takeTurn(policy), policy).rejects.toMatchObject({
        code: "untrusted_directory",
        message: expect.stringContaining(`halyard trust ${scene.cwd}`),
      });
    if (one.name.startsWith("pi")) return; // Pi does not read settings in parent directories
    const at = await scene.linkInto();
    await expect(scene.takeTurn("allow-all", { at }), "through a link").rejects.toMatchObject({
      code: "untrusted_directory",
      message: expect.stringContaining(`halyard trust ${scene.cwd}`),
    });
  },
);

test.concurrent.each(
  cases.filter(({ name, host }) => host === undefined && !name.startsWith("pi")),
)(
  "$name runs a repository's planted programs if the request trusts the repository",
  async (one) => {
    await using scene = await openScene(one);
    const { ran } = await scene.takeTurn("allow-all", { trust: true });
    expect(ran).not.toEqual([]);
  },
);
