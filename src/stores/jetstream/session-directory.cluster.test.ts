import { connect } from "@nats-io/transport-node";
import { expect, onTestFinished, test } from "vitest";
import { createChance } from "../../../test/chaos/chance.ts";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import type { Store } from "../../contracts/store.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta } from "../../testing/sample-session.ts";
import { openJetStreamStore } from "./store.ts";

test("lists the current sessions after another process has created, written and removed sessions", async () => {
  const server = await NatsServer.start();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const open = async (): Promise<Store> => {
    const connection = await connect({ servers: server.url });
    onTestFinished(() => connection.close());
    return openJetStreamStore(connection);
  };
  const [writing, reading] = [await open(), await open()];
  const logs: SampleLog[] = [];
  const chance = createChance(1);
  for (let step = 0; step < 60; step++) {
    const log = logs[chance.between(0, logs.length)];
    if (log === undefined) logs.push(await SampleLog.create(writing));
    else if (chance.is(0.25)) {
      await writing.remove(log.info.id);
      logs.splice(logs.indexOf(log), 1);
    } else
      for (let block = 0; block < chance.between(1, 5); block++)
        await log.append([sampleDelta(`${step} `)]);
    if (chance.is(0.3)) continue; // several changes between two lists
    const listed = (await reading.list()).map(({ info }) => [info.id, info.lastSeq]);
    expect(listed.toSorted()).toEqual(logs.map(({ info }) => [info.id, info.lastSeq]).toSorted());
  }
  const [known, fresh] = [await reading.list(), await (await open()).list()];
  expect(known).toEqual(fresh); // in the same order
});
