import { describeAgents } from "../../../test/containers/describe-agents.ts";
import { describeSessions } from "../../../test/containers/describe-sessions.ts";
import { useEngine } from "../../../test/containers/use-engine.ts";
import { describeHost } from "../../testing/describe-host.ts";

const engine = useEngine("podman");

describeHost("container (podman)", engine.suiteHost);
describeSessions(engine);
describeAgents(engine, ["pi", "codex"]);
