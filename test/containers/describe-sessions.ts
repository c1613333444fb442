import { chown, copyFile, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { piToolCalls } from "../../src/adapters/pi/events/tool-calls.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { parseAddress } from "../../src/hosts/container/engines/docker-api/address.ts";
import { EngineConnection } from "../../src/hosts/container/engines/docker-api/connection.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { killAfter } from "../kill/killed.ts";
import { setUpAgents } from "./describe-agents.ts";
import { startRelay } from "./relay.ts";
import type { EngineUnderTest } from "./use-engine.ts";

const words = [...Array(200).keys()].join(" ");

/** Tests the lifecycle of sessions and of their containers, with the real Pi. */
export function describeSessions(engine: EngineUnderTest): void {
  const setUp = async () => {
    const all = await setUpAgents(engine);
    const { model } = all;
    model.on("Hello.", { text: "Hello." });
    model.on("Count.", { text: words, chunkSize: 8, chunkDelayMs: 10 });
    model.on("What did I say?", { text: "You said something." });
    const request = { ...all.start, runtime: "pi", model: model.endpoint("openai-chat") } as const;
    return { ...all, request };
  };

  describe(`sessions in ${engine.runtime.name} containers`, { timeout: 120_000 }, () => {
    test("an agent has no privileges, cannot write to system directories, and reaches only its model", async () => {
      const { cwd, home, env, request, model } = await setUp();
      await copyFile(new URL("./probe.mjs", import.meta.url), join(cwd, "probe.mjs"));
      const toolCalls = [piToolCalls.shell("node probe.mjs > told 2>&1")];
      model.on("work", { toolCalls }, { text: "Done." });
      await using halyard = await createHalyard({ home, env });
      await using session = await halyard.start(request);
      expect(await session.send("work").outcome).toMatchObject({ status: "completed" });
      expect(JSON.parse(await readFile(join(cwd, "told"), "utf8"))).toEqual({
        uid: 1000,
        capabilities: "0000000000000000",
        bounding: "0000000000000000",
        noNewPrivileges: "1",
        seccomp: "2",
        writesRoot: "EROFS",
        writesHome: "yes",
        writesTmp: "yes",
        networks: ["lo"],
        reachesOut: "ENETUNREACH",
        model: 200, // the model responds although the container has no key
        elsewhere: 404,
        sneaking: 404,
      });
    });

    test("sessions in the same directory share a container, which is removed with the last of them", async () => {
      const { home, env, request, containers } = await setUp();
      await using halyard = await createHalyard({ home, env });
      const [one, two] = await Promise.all([halyard.start(request), halyard.start(request)]);
      const outcomes = [one, two].map((session) => session?.send("Hello.").outcome);
      for (const outcome of await Promise.all(outcomes))
        expect(outcome).toMatchObject({ status: "completed", text: "Hello." });
      expect(await containers()).toHaveLength(1);
      await one?.stop();
      expect(await containers()).toHaveLength(1);
      expect(await two?.send("Hello.").outcome).toMatchObject({ status: "completed" });
      await two?.stop();
      expect(await containers()).toEqual([]);
    });

    test("all workspaces of a project share one container, which stops with its last session and starts with the next", async () => {
      const { home, env, request, containers, model } = await setUp();
      const project = "0b6c6f3e-1f6e-4a53-9d36-3a1f0f6f7c11";
      const workspaces = join(home, "projects", project, "workspaces");
      for (const name of ["first", "second"])
        await mkdir(join(workspaces, name), { recursive: true });
      for (const path of ["", "first", "second"]) await chown(join(workspaces, path), 1000, 1000);
      const toolCalls = [piToolCalls.shell("pwd > where")];
      model.on("work", { toolCalls }, { text: "Done." });
      await using halyard = await createHalyard({ home, env });
      const run = async (name: string) => {
        const cwd = join(workspaces, name);
        const session = await halyard.start({ ...request, project, cwd });
        expect(await session.send("work").outcome).toMatchObject({ status: "completed" });
        expect(await readFile(join(cwd, "where"), "utf8")).toBe(`${cwd}\n`);
        expect(await containers()).toMatchObject([{ status: "running" }]);
        await session.stop();
        const [container] = await containers();
        expect(container).toMatchObject({
          status: "stopped",
          labels: { "halyard.project": project },
        });
        return container?.id;
      };
      expect(await run("first")).toBe(await run("second"));
    });

    test("the turn continues after kill -9 of its owner, and no event is lost or duplicated", async () => {
      const { home, env, request } = await setUp();
      const args = [home, JSON.stringify(env), JSON.stringify(request)];
      const { id, seen } = await killAfter(20, "../containers/watcher.mjs", args);
      await using halyard = await createHalyard({ home, env });
      expect(await halyard.find(id)).toMatchObject({ state: "detached", host: "container" });
      const session = await halyard.resume(id, { model: request.model });
      expect(session.opened).toBe("attached");
      expect(await session.send("What did I say?").outcome).toMatchObject({ status: "completed" });
      await session.stop();
      const all = await collect(session.events());
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
      expect(all.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
      const deltas = all.flatMap((event) => (event.type === "delta" ? [event.text] : []));
      expect(deltas.join("")).toBe(`${words}You said something.`);
      expect(all.filter(({ type }) => type === "completion")).toHaveLength(2);
    });

    test("a removed container ends its sessions with an error, and they resume in another container", async () => {
      const { home, env, request, containers } = await setUp();
      await using halyard = await createHalyard({ home, env });
      const session = await halyard.start(request);
      expect(await session.send("Hello.").outcome).toMatchObject({ status: "completed" });
      const turn = session.send("Count.");
      for await (const { type } of turn) {
        if (type !== "delta") continue;
        for (const { id } of await containers()) await engine.runtime.remove(id);
        break;
      }
      expect(await turn.outcome).toMatchObject({
        status: "failed",
        error: {
          code: "agent_exited",
          message: expect.stringContaining("pi ended because its container was removed"),
        },
      });
      const again = await halyard.resume(session.id, { model: request.model });
      expect(again.opened).toBe("resumed");
      expect(await again.send("What did I say?").outcome).toMatchObject({ status: "completed" });
      await again.stop();
      expect(await containers()).toEqual([]);
    });

    test("a session is not marked as lost while the engine does not respond, and continues when the engine responds again", async () => {
      const { home, env, request, cwd, containers } = await setUp();
      const [variable = "", url = ""] =
        Object.entries(env).find(([name]) => name.endsWith("_HOST")) ?? [];
      const relay = await startRelay(join(cwd, "../e.sock"), url);
      const through = { ...env, [variable]: relay.url };
      const first = await createHalyard({ home, env: through, onDispose: "detach" });
      const { id } = await first.start(request).then(async (session) => {
        await session.send("Hello.").outcome;
        return session;
      });
      await first[Symbol.asyncDispose]();
      await relay.cut();
      await using second = await createHalyard({ home, env: through });
      expect(await second.find(id)).toMatchObject({ state: "detached" });
      await expect(second.resume(id)).rejects.toMatchObject({ code: "host_unavailable" });
      await relay.mend();
      const session = await second.resume(id, { model: request.model });
      expect(session.opened).toBe("attached");
      expect(await session.send("Hello.").outcome).toMatchObject({ status: "completed" });

      await relay.cut();
      const away = { code: "host_unavailable", message: expect.stringContaining(relay.url) };
      await expect(second.stop(id)).rejects.toMatchObject(away);
      await expect(second.stop(id)).rejects.toMatchObject(away);
      expect(await second.find(id)).toMatchObject({ state: "detached" });
      expect(await second.processes()).toMatchObject([
        { sessionId: id, unreachable: away.message },
      ]);
      expect(await containers()).toMatchObject([{ status: "running" }]);
      await relay.mend();
      await second.stop(id);
      expect(await second.find(id)).toMatchObject({ state: "stopped" });
      expect(await containers()).toEqual([]);
      await relay.cut();
    });

    test("rejects an interrupt while the container is paused, and can still list and stop the agent", async () => {
      const { home, env, request, containers } = await setUp();
      await using halyard = await createHalyard({ home, env });
      const session = await halyard.start(request);
      await session.send("Hello.").outcome;
      const [container] = await containers();
      const address = parseAddress(
        engine.runtime.name === "podman" ? "podman" : "docker",
        engine.runtime.address,
      );
      const pause = () =>
        new EngineConnection(address).call({
          method: "POST",
          path: `/containers/${container?.id}/pause`,
        });
      const turn = session.send("Count.");
      for await (const { type } of turn) if (type === "delta") break;
      await pause();
      await expect(session.interrupt()).rejects.toMatchObject({
        code: "host_unavailable",
        message: expect.stringContaining(`unpause ${container?.name}`),
      });
      const sessions = (await halyard.processes()).map(({ sessionId }) => sessionId);
      expect(sessions).toEqual([session.id]);
      await engine.runtime.unpause(container?.id ?? "");
      expect(await turn.outcome).toMatchObject({ status: "completed", text: words });
      await pause();
      await session.stop();
      expect(await containers()).toEqual([]);
    });

    test("accepts long paths with colons, commas and spaces, and applies the umask to new files", async () => {
      const { home, env, request, model } = await setUp();
      const toolCalls = [piToolCalls.shell("echo made > made; mkdir new")];
      model.on("work", { toolCalls }, { text: "Done." });
      const cwd = join(home, "..", "a:b c", "d".repeat(60));
      await mkdir(cwd, { recursive: true });
      await chown(cwd, 1000, 1000);
      await using halyard = await createHalyard({ home: join(home, "e,f", "g".repeat(90)), env });
      const session = await halyard.start({ ...request, cwd });
      expect(await session.send("work").outcome).toMatchObject({ status: "completed" });
      const modes = ["made", "new"].map(async (name) => (await stat(join(cwd, name))).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([
        0o666 & ~process.umask(),
        0o777 & ~process.umask(),
      ]);
      await session.stop();
    });

    test.for([
      ["in a directory of root", { cwd: "/usr" }, /belongs to root.*chown/],
      ["without a model or a network", { model: undefined }, /--base-url/],
      [
        "with a missing image",
        { container: { image: "localhost/no-such:image", network: "none" } },
        /Image localhost\/no-such:image not found.*halyard image build/,
      ],
    ] as const)(
      "a session %s is rejected, and the error states what to do",
      async ([, changes, message]) => {
        const { home, env, request, containers } = await setUp();
        await using halyard = await createHalyard({ home, env });
        const { model, ...rest } = request;
        const asked = "model" in changes ? rest : { ...request, ...changes };
        await expect(halyard.start(asked)).rejects.toThrow(message);
        expect(await containers()).toEqual([]);
      },
    );
  });
}
