import { chmod, copyFile, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { createHalyard } from "../../src/create-halyard.ts";
import { createContainerHost } from "../../src/hosts/container/index.ts";
import { collect } from "../../src/testing/halyard/fixture.ts";
import { setUpAgents } from "./describe-agents.ts";
import { TEST_IMAGE } from "./test-image.ts";
import type { EngineUnderTest } from "./use-engine.ts";

/** Tests a hostile agent that runs in a container as its own user, with the files that Halyard shares with it. */
export function describeBreakout(engine: EngineUnderTest): void {
  const setUp = async (runtime: "codex" | "pi") => {
    const all = await setUpAgents(engine);
    const { model, home, cwd, env, start, containers } = all;
    model.on("Hello.", { text: "Hello." });
    const api = runtime === "codex" ? "openai-responses" : "openai-chat";
    const victim = await createVictim(join(home, "..", "victim"));
    const halyard = await createHalyard({ home, env });
    const request = { ...start, runtime, model: model.endpoint(api) } as const;
    const session = await halyard.start(request);
    expect(await session.send("Hello.").outcome).toMatchObject({ status: "completed" });
    const [container] = await containers();
    const place = container?.labels["halyard.directory"] ?? "";
    /** Runs a command as the agent's user. */
    const inside = async (script: string, ...args: string[]) => {
      const words = ["/bin/sh", "-c", script, "sh", ...args] as const;
      const user = "1000:1000";
      const [running] = await containers();
      return engine.runtime.exec(running?.id ?? "", { args: [...words], cwd, user });
    };
    return { ...all, halyard, session, request, container, place, inside, victim };
  };

  describe(`breaking out of a ${engine.runtime.name} container`, { timeout: 120_000 }, () => {
    test("the agent cannot change Halyard's records, routes, pipes or settings", async () => {
      const { halyard, session, place, inside, cwd, victim, containers } = await setUp("pi");
      await using _ = halyard;
      const before = await listing(place, ["run", "routes"]);
      expect(before.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/run\/[^/]+\/stdin$/),
          expect.stringMatching(/run\/[^/]+\/stdout$/),
          expect.stringMatching(/run\/[^/]+\/process\.json$/),
          expect.stringMatching(/routes\/[0-9a-f]+\.sock$/),
        ]),
      );
      await copyFile(new URL("./attack.mjs", import.meta.url), join(cwd, "attack.mjs"));
      const { stdout, stderr } = await inside('node attack.mjs "$1" "$2"', place, victim.file);
      const changed: string[] = JSON.parse(stdout || `"${stderr}"`);
      expect(changed).toEqual([]);
      expect(await listing(place, ["run", "routes"])).toEqual(before);
      const visible = await inside('ls "$1"', place);
      expect(visible.stdout.trim().split("\n")).toEqual(["run", "sessions"]); // no other file of Halyard is visible
      expect(await session.send("Hello.").outcome).toMatchObject({ status: "completed" });
      await session.stop();
      expect(await containers()).toEqual([]);
      await victim.expectUntouched();
    });

    test("a link that replaces a settings file is removed on resume, and its target does not change", async () => {
      const all = await setUp("codex");
      await using halyard = all.halyard;
      const { session, place, inside, victim, request } = all;
      const codex = join(place, "sessions", session.id, "codex");
      const planted = await inside(
        'cd "$1" && ln -sf "$2" config.toml && ln -sf "$2" auth.json && ls -l config.toml',
        codex,
        victim.file,
      );
      expect(planted.stdout).toContain(victim.file);
      await session.stop();
      const again = await halyard.resume(session.id, { model: request.model });
      expect(await again.send("Hello.").outcome).toMatchObject({ status: "completed" });
      expect((await stat(join(codex, "config.toml"))).uid).toBe(1000);
      expect(await readFile(join(codex, "config.toml"), "utf8")).toContain("model_provider");
      await victim.expectUntouched();

      await inside('mv "$1" "$1.old" && ln -s "$2" "$1"', codex, victim.directory);
      await again.stop();
      await halyard.resume(session.id, { model: request.model }).then(
        (resumed) => resumed.stop(),
        (error) => expect(error).toMatchObject({ code: "runtime_session_not_found" }),
      );
      await victim.expectUntouched();
      expect(await readdir(victim.directory)).toEqual(["config.toml"]);
    });

    test("a pipe or a link in a session's state does not prevent Halyard from resuming or removing the session", async () => {
      const all = await setUp("pi");
      await using halyard = all.halyard;
      const { session, place, inside, victim, request } = all;
      const state = join(place, "sessions", session.id);
      await inside('cd "$1/pi" && for f in *; do rm "$f"; mkfifo "$f"; done', state);
      await session.stop();
      await expect(halyard.resume(session.id, { model: request.model })).rejects.toMatchObject({
        code: "runtime_session_not_found",
      });
      const other = await halyard.start(request);
      await inside('mv "$1" "$1.old"; ln -s "$2" "$1"', state, victim.directory);
      await halyard.remove(session.id);
      await victim.expectUntouched();
      await other.stop();
      const events = JSON.stringify(await collect(other.events()));
      expect(events).not.toContain("the host's secret");
    });

    // Only the Docker image contains OpenCode, whose server is reached through a `.door` socket.
    test.each(engine.runtime.name === "docker" ? [".stdout", ".door"] : [".stdout"])(
      "an agent that replaces shared files with links (%s) reaches no file and no socket on the host",
      async (ending) => {
        const { halyard, session, container, request, cwd, victim, model } = await setUp("pi");
        await using _ = halyard;
        let reached = 0;
        const bystander = createServer((socket) => {
          reached++;
          socket.destroy();
        });
        const socket = join(victim.directory, "..", "victim.sock");
        await new Promise<void>((resolve) => bystander.listen(socket, resolve));
        await copyFile(new URL("./attack-shared.mjs", import.meta.url), join(cwd, "attack.mjs"));
        const attacker = await engine.runtime.execInteractive(container?.id ?? "", {
          args: ["node", "attack.mjs", ending, ending === ".door" ? socket : victim.file],
          cwd,
          user: "1000:1000",
        });
        const said = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]();
        expect((await said.next()).value).toBe("ready");
        const other = await halyard
          .start({
            ...request,
            runtime: ending === ".door" ? "opencode" : "pi",
            model: model.endpoint("openai-chat"),
            limits: { startMs: 30_000, turnMs: 20_000 },
          })
          .catch(() => undefined); // the agent can prevent its own start
        await other?.send("Hello.").outcome;
        expect((await said.next()).value).toBe("replaced");
        const events = other ? await collect(other.events({ follow: false })) : [];
        expect(JSON.stringify(events)).not.toContain("the host's secret");
        await other?.stop();
        await session.stop();
        expect(reached).toBe(0);
        await victim.expectUntouched();
        await new Promise((resolve) => bystander.close(resolve));
      },
    );

    test("a forged record that names a removed container and another directory causes no deletion in that directory", async () => {
      const { session, place, home, env, containers, halyard } = await setUp("pi");
      await using _ = halyard;
      const elsewhere = join(home, "..", "elsewhere");
      await mkdir(join(elsewhere, "routes"), { recursive: true });
      const files = ["a.sock", "b.route", "routes/c.sock", "routes/d.route"];
      for (const name of files) await writeFile(join(elsewhere, name), "");
      const file = join(place, "run", session.id, "process.json");
      const text = await readFile(file, "utf8");
      const open = async () => engine.runtime;
      const host = createContainerHost({ home, engines: { chosen: open, open } });
      const forge = (isExisting: boolean) => {
        const forged = { container: "0".repeat(64), directory: elsewhere, isExisting };
        return writeFile(file, JSON.stringify({ ...JSON.parse(text), ...forged }));
      };
      for (const isExisting of [false, true]) {
        await forge(isExisting);
        expect(await host.attach(dirname(file))).toBeUndefined();
      }
      await writeFile(file, text);
      expect(await host.attach(dirname(file))).toBeDefined();
      await forge(true);
      await using second = await createHalyard({ home, env, store: "memory" });
      await second.reap(); // deletes the run directory, because its store does not know the session
      await session.stop();
      for (const name of files) expect((await stat(join(elsewhere, name))).isFile()).toBe(true);
      expect(await containers()).toEqual([]);
    });

    test("a forged record that names another container does not stop that container", async () => {
      const all = await setUp("pi");
      const { session, place, home, env, containers, halyard } = all;
      await using _ = halyard;
      const id = await engine.runtime.create({
        name: `halyard-test-bystander-${Date.now()}`,
        image: TEST_IMAGE,
        command: ["sleep", "infinity"],
        labels: {},
        env: {},
        user: "1000:1000",
        workdir: "/",
        mounts: [],
        tmpfs: {},
        network: "none",
        readOnlyRoot: true,
        memoryBytes: 256 * 1024 * 1024,
        cpus: 1,
        pids: 64,
      });
      try {
        await engine.runtime.start(id);
        const bystander = await engine.runtime.inspect(id);
        const file = join(place, "run", session.id, "process.json");
        const record = JSON.parse(await readFile(file, "utf8"));
        const { startedAt } = bystander ?? {};
        await cp(file, join(home, "record"));
        await writeFile(file, JSON.stringify({ ...record, container: id, startedAt }));
        const store = "memory"; // a second instance finds the session's processes only through its files
        await using second = await createHalyard({ home, env, store });
        await second.reap();
        expect(await engine.runtime.status(id)).toBe("running");
        await session.stop().catch(() => {});
        expect(await engine.runtime.status(id)).toBe("running");
      } finally {
        await engine.runtime.remove(id);
        for (const container of await containers()) await engine.runtime.remove(container.id);
      }
    });
  });
}

/** Creates a directory that only the host's root can access, and returns a check that it is unchanged. */
async function createVictim(directory: string) {
  const file = join(directory, "config.toml");
  await mkdir(directory);
  await writeFile(file, "the host's secret\n", { mode: 0o600 });
  await chmod(directory, 0o700);
  const look = async () => {
    const { uid, gid, mode, nlink } = await stat(file);
    const { uid: owner, mode: access } = await stat(directory);
    const text = await readFile(file, "utf8");
    return { uid, gid, mode, nlink, owner, access, text };
  };
  const before = await look();
  return { directory, file, expectUntouched: async () => expect(await look()).toEqual(before) };
}

/** Lists everything below the named directories with its inode, mode, owner and link count. */
async function listing(place: string, names: readonly string[]) {
  const found = await Promise.all(
    names.map(async (name) => readdir(join(place, name), { recursive: true, withFileTypes: true })),
  );
  const paths = found.flat().map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort().map(async (path) => {
      const { ino, mode, uid, nlink } = await stat(path);
      return { path, ino, mode, uid, nlink };
    }),
  );
}
