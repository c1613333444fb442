import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeHost } from "../../testing/describe-host.ts";
import { createTmuxHost } from "./index.ts";

describeHost("tmux", {
  // Programs without a screen need no tmux server.
  createHost: () =>
    createTmuxHost({ socket: join(tmpdir(), "halyard-never.sock"), env: process.env }),
  module: {
    url: new URL("../../../test/screens/suite-host.mjs", import.meta.url),
    exportName: "createSuiteHost",
  },
});
