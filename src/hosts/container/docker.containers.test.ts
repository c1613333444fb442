import { describe } from "vitest";
import {
  describeAgents,
  describeOpenCodeServers,
} from "../../../test/containers/describe-agents.ts";
import { describeBreakout } from "../../../test/containers/describe-breakout.ts";
import { describeExisting } from "../../../test/containers/describe-existing.ts";
import { describeFence } from "../../../test/containers/describe-fence.ts";
import { describeProcesses } from "../../../test/containers/describe-processes.ts";
import { describeSessions } from "../../../test/containers/describe-sessions.ts";
import { useEngine } from "../../../test/containers/use-engine.ts";
import { describeHost } from "../../testing/describe-host.ts";

const engine = useEngine("docker");

describeHost("container (docker)", engine.suiteHost);

describeProcesses(engine);
describeFence(engine);
describeBreakout(engine);
describeExisting(engine);

describe("sessions survive the loss of their container [s2.d5.restart-recovers]", () => {
  describeSessions(engine);
});

describe("the real programs run in a container with all permissions [s2.constraint.containers] [s2.d3.container-allows-all]", () => {
  describeAgents(engine, ["pi", "codex", "opencode", "claude", "droid"]);
});

describe("the OpenCode server runs in the container", () => {
  describeOpenCodeServers(engine);
});
