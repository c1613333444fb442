import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTmuxHost } from "../../dist/hosts/tmux/index.js";

/** Creates the tmux host for programs without a screen. It never starts a tmux server. */
export function createSuiteHost() {
  return createTmuxHost({ socket: join(tmpdir(), "halyard-never.sock"), env: process.env });
}
