import { describeVersion1 } from "../../../test/acp/describe-version-1.ts";
import { smallRuntime } from "../../../test/acp/small-runtime.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";

describeAdapter("ACP agent, version 2", smallRuntime(2, ""));
describeVersion1("");
describeVersion1("client"); // in this mode, the client runs the tools
// `test/acp/quirks.system.test.ts` runs all suites with the other quirks.
describeVersion1("loads", ["resume", "attach", "attach with an open request"]);
describeVersion1("echo", ["deltas", "permissions"]);
