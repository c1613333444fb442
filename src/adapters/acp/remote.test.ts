import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRemote, TOKEN } from "../../../test/acp-client/remote-scene.ts";
import { openCutLine } from "../../../test/http/cut-line.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { repliesIn } from "../../testing/replies.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

async function openClient(): Promise<Halyard> {
  const home = join(await temporaryDirectory(), "home");
  const halyard = await createHalyard({ home, env: { PATH: process.env.PATH ?? "" } });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  return halyard;
}

test.each([1, 2] as const)(
  "runs a remote agent over ACP version %i, and loses no messages when the connection is lost",
  async (protocolVersion) => {
    const { url, cwd, halyard: far } = await openRemote();
    const line = await openCutLine(url);
    const near = await openClient();
    const session = await near.start({
      runtime: "acp",
      cwd,
      checkpoints: false,
      permissions: "ask",
      options: { url: `ws://127.0.0.1:${line.port}/acp`, protocolVersion },
      env: { ACP_TOKEN: TOKEN },
    });
    await session.ready();
    const turn = session.send("stream 60; ask; stream 30; say done");
    let cuts = 0;
    for await (const event of turn) {
      if (event.type === "delta" && cuts < 3) cuts += await line.cutNext();
      if (event.type !== "request") continue;
      cuts += await line.cutNext(); // the agent repeats its request after the reconnect
      await session.answer(event.requestId, { decision: "allow" });
    }
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "done" });
    expect(cuts).toBeGreaterThanOrEqual(4);
    const numbers = (count: number) => [...Array(count).keys()].join(" ");
    const events = await collect(session.events({ follow: false }));
    const said = repliesIn(events).join("");
    expect(said).toBe(`${numbers(60)}allowed${numbers(30)}done`);
    expect(events.filter(({ type }) => type === "request")).toHaveLength(1);
    expect(await far.sessions()).toMatchObject([{ turns: 1, state: "idle" }]);
    await session.stop();
  },
);

test("rejects a wrong token, an unencrypted address, and a command together with an address", async () => {
  const { url, cwd } = await openRemote();
  const near = await openClient();
  const start = (options: object, token = TOKEN) =>
    near.start({ runtime: "acp", cwd, options, env: { ACP_TOKEN: token } });
  const wrong = await start({ url }, "wrong");
  await expect(wrong.ready()).rejects.toThrow(/responded with 401/);
  await expect(start({ url: "ws://example.com/acp" })).rejects.toThrow(/not encrypted.*wss/);
  await expect(start({ url, command: "x" })).rejects.toThrow(
    /command: cannot be combined with url/,
  );
});
