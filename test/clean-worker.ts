import { setTimeout as realTimeout } from "node:timers";
import { afterAll, afterEach, vi } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

/** Test files share workers. If a file does not restore fake timers, all later tests in its worker hang. */
afterAll(() => {
  vi.restoreAllMocks(); // restored before the next test; otherwise a spy on a fake timer would restore the fake timer
  if (globalThis.setTimeout !== realTimeout)
    throw new Error("This test file did not restore the real timers.");
});

afterEach(collectGarbage);

// Node 20 parses all certificates at the start of every program if this is set: 60 ms instead of 20 ms. Unit tests use only
// the loopback interface.
delete process.env.NODE_EXTRA_CA_CERTS;
