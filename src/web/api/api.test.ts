import { join } from "node:path";
import { expect, test } from "vitest";
import { serve, TOKEN } from "../../../test/http/served.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { sampleDelta } from "../../testing/sample-session.ts";
import type { LineState } from "../state/line-status.ts";
import { createSource } from "../state/source.ts";
import { Api } from "./api.ts";

test("reads the ends of all turns, even of a long session", async () => {
  await using served = await serve();
  await using store = await openSqliteStore(join(served.home, "halyard.db"));
  const log = await SampleLog.create(store);
  const usage = { inputTokens: 1, outputTokens: 1 };
  const how = { status: "completed", stopReason: "end_turn" } as const;
  const outcome = { ...how, text: "done", usage, durationMs: 1 };
  const turn = [sampleDelta("done"), { type: "completion" as const, outcome }];
  await log.append(Array.from({ length: 2500 }, () => turn).flat());
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, authorization: `Bearer ${TOKEN}` } });
  const api = new Api(new URL(served.url), createSource<LineState>("connecting"), send);
  const ends = await api.completions(log.info.id, 0);
  expect(ends.map(({ seq }) => seq)).toEqual(Array.from({ length: 2500 }, (_, at) => 2 * at + 2));
  expect(await api.completions(log.info.id, 4998)).toEqual(ends.slice(-1));
});
