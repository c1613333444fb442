import { expect, test } from "vitest";
import { expectWhole, untilInfo } from "../../test/cluster/checks.ts";
import { ClusterScene } from "../../test/cluster/scene.ts";
import { until } from "../testing/halyard/fixture.ts";

test("delivers the output of an agent whose machine was cut off during a turn", async () => {
  await using scene = await ClusterScene.open();
  const proxy = await scene.workThroughProxy("one");
  await scene.work("two");
  const client = await scene.client();
  const request = { runtime: "fake", cwd: scene.cwd, permissions: "allow-all" } as const;
  const session = await client.start({ ...request, on: "one" });
  await session.ready();
  const turn = session.send("say before; sh until [ -e go ]; do sleep 0.1; done; say after");
  await until(turn, "tool_call");
  proxy.cut();
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  const other = await reader.start({ ...request, on: "two" });
  expect(await other.send("sh touch go; touch other").outcome).toMatchObject({
    status: "completed",
  });
  proxy.heal();
  await untilInfo(reader, session.id, ({ unreachable, turns }) => !unreachable && turns === 1);
  const texts: string[] = [];
  for await (const event of reader.events(session.id, { follow: false }))
    if (event.type === "message" && event.role === "assistant") texts.push(event.text);
  expect(texts).toEqual(["before", "after"]);
  await expectWhole(reader, session.id);
  expect((await reader.session(session.id)).info.machine).toBe("one");
});
