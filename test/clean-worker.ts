import { setTimeout as realTimeout } from "node:timers";
import { afterAll, afterEach, vi } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

/** Test files share workers. If a file does not restore fake timers, all later tests in its worker hang. */
afterAll(() => {
  vi.restoreAllMocks(); // before the check: a spy on a fake timer would later restore the fake timer
  if (globalThis.setTimeout !== realTimeout)
    throw new Error('This test file did not restore the real timers. Call "vi.useRealTimers()".');
});

afterEach(collectGarbage);

// If this variable is set, Node 20 parses all certificates when a program starts, and the start takes 60 ms instead of 20 ms.
// Unit tests need no certificates, because they use only the loopback interface.
delete process.env.NODE_EXTRA_CA_CERTS;
