import { describeAgents } from "../../../test/containers/describe-agents.ts";
import { describeBreakout } from "../../../test/containers/describe-breakout.ts";
import { describeExisting } from "../../../test/containers/describe-existing.ts";
import { describeFence } from "../../../test/containers/describe-fence.ts";
import { describeProcesses } from "../../../test/containers/describe-processes.ts";
import { describeSessions } from "../../../test/containers/describe-sessions.ts";
import { useEngine } from "../../../test/containers/use-engine.ts";
import { describeHost } from "../../testing/describe-host.ts";

const engine = useEngine("podman");

describeHost("container (podman)", engine.suiteHost);
describeProcesses(engine);
describeFence(engine);
describeBreakout(engine);
describeExisting(engine);
describeSessions(engine);
describeAgents(engine, ["pi", "codex"]);
