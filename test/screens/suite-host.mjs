import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTmuxHost } from "../../dist/hosts/tmux/index.js";

/** For programs without a screen: its server is never started. */
export function createSuiteHost() {
  return createTmuxHost({ socket: join(tmpdir(), "halyard-never.sock"), env: process.env });
}
