import { JetStreamError } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { isRepeatable, toStreamError } from "./errors.ts";

test("classifies missed heartbeats as a retryable `store_unreachable` error", () => {
  const error = new JetStreamError("heartbeats missed"); // as the client throws it
  expect([isRepeatable(error), toStreamError(error, "localhost").code]).toEqual([
    true,
    "store_unreachable",
  ]);
  expect(isRepeatable(new JetStreamError("bad request"))).toBe(false);
});
