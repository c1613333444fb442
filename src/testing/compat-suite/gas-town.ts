import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgentRuntime, SessionHandle } from "../../compat/gas-town/index.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { SessionId } from "../../schema/id.ts";
import type { FacadeStage, OpenFacadeStage } from "./compat-stage.ts";

/** Tests a runtime against the contract of `halyard/compat/gas-town`. */
export function describeAriFacade(open: OpenFacadeStage): void {
  describe("halyard/compat/gas-town", () => {
    test("starts a session in its directory, with the variables of its role", async () => {
      await using stage = await open();
      const names = [...Object.keys(town), "GT_SESSION_ID", "GT_WORKDIR", "BD_ACTOR"];
      const command = `pwd > env.txt; for n in ${names.join(" ")}; do printenv $n >> env.txt; done`;
      const runtime = createAgentRuntime(stage);
      const handle = await runtime.start({
        ...optionsOf(stage),
        env: town,
        initialPrompt: stage.prompts.shell(command),
      });
      await ended(stage.halyard, handle, 1);
      const received = (await readFile(join(stage.cwd, "env.txt"), "utf8")).trimEnd().split("\n");
      expect(received).toEqual([
        stage.cwd,
        ...Object.values(town),
        handle.sessionID,
        stage.cwd,
        "greenplace/polecats/ivy",
      ]);
    });

    test("returns a serializable handle that another process can use", async () => {
      await using stage = await open();
      const first = stage.prompts.say("I will.");
      const there = createAgentRuntime(stage);
      const handle = await there.start({ ...optionsOf(stage), initialPrompt: first });
      const info = await stage.halyard.find(idOf(handle));
      expect(handle).toEqual({
        runtime: stage.runtime,
        sessionID: expect.stringMatching(/^ses_/),
        workDir: stage.cwd,
        pid: info?.pid ?? "the process of the session",
        startedAt: info?.createdAt,
        readyAt: info?.readyAt ?? "after the start",
      });
      await ended(stage.halyard, handle, 1);
      await stage.halyard.resume(idOf(handle)).then((session) => session.detach());

      const halyard = await stage.again();
      const here = createAgentRuntime({ halyard });
      const found = SessionHandle.parse(JSON.parse(JSON.stringify(handle)));
      expect(await here.detectRunning(found)).toBe(true);
      expect(await here.isReady(found)).toBe(true);
      const running = { running: true, workDir: stage.cwd };
      expect((await here.listSessions(running)).map(({ pid }) => pid)).toEqual([handle.pid]);
      expect((await here.resume(found)).pid).toBe(handle.pid);
      const { prompt, answer } = stage.prompts.recall(first);
      const { status, delivery } = await here.sendMessage(found, { text: prompt });
      expect(["submitted", "confirmed"]).toContain(status);
      expect(["stdin", "rpc"]).toContain(delivery);
      expect(await ended(halyard, found, 2)).toBe(answer);
      await here.stop(found, "the work is done");
      await here.stop(found, "again");
      expect(await halyard.find(idOf(handle))).toMatchObject({
        state: "stopped",
        reason: "the work is done",
      });
      expect(await here.detectRunning(found)).toBe(false);
      expect(await here.listSessions(running)).toEqual([]);
    });
  });
}

const town = { GT_ROLE: "polecat", GT_RIG: "greenplace", GT_POLECAT: "ivy" };

/**
 * Returns a session's parameters. The model is the only parameter outside the contract; it is needed because the real
 * programs have no account in tests.
 */
function optionsOf({ runtime, cwd, model }: FacadeStage) {
  return { runtimeName: runtime, workDir: cwd, ...(model && { model }) };
}

/** Waits for the end of the session's turn with this number, starting at 1, and returns the turn's text. */
async function ended(halyard: Halyard, handle: SessionHandle, number: number): Promise<string> {
  let left = number;
  for await (const event of halyard.events(idOf(handle)))
    if (event.type === "completion" && --left === 0) return event.outcome.text;
  throw new Error("The session ended before the turn did.");
}

const idOf = ({ sessionID }: SessionHandle) => SessionId.parse(sessionID);
