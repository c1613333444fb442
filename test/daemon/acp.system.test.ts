import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDaemon } from "../../src/daemon/find.ts";
import { ReconnectingClient } from "../acp-client/reconnecting-client.ts";
import { newDaemonUser, startFakeDaemon } from "./scene.ts";

test("an ACP client receives every update once if the daemon is killed with SIGKILL during the turn", async () => {
  const user = await newDaemonUser();
  let daemon = await startFakeDaemon(user);
  const { socketPath } = (await findDaemon(user.home)) ?? {};
  let kills = 0;
  const client = new ReconnectingClient({
    url: `ws+unix:${socketPath}:/acp?runtime=fake&permissions=allow-all`,
    cwd: user.cwd,
    loses: (received) => received === 300 || received === 900,
    beforeConnect: async () => {
      if (kills >= client.losses) return;
      kills += 1;
      await daemon.end("SIGKILL");
      daemon = await startFakeDaemon(user);
      if (kills === 2) await writeFile(join(user.cwd, "go"), "");
    },
  });
  await client.start();
  const script = "stream 2000; sh until [ -e go ]; do sleep 0.01; done; say after";
  expect(await client.prompt(script)).toMatchObject({ stopReason: "end_turn" });
  expect([client.losses, kills]).toEqual([2, 2]);
  const text = client.received.flatMap(({ update }) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
  expect(text.join("")).toBe(`${[...Array(2000).keys()].join(" ")}after`);
  const cursors = client.received.flatMap(({ cursor }) => cursor ?? []);
  expect(new Set(cursors).size).toBe(cursors.length);
});
