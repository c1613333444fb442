import { openFakeStage } from "../../test/facades/fake-stage.ts";
import { describeFacades } from "../testing/describe-facades.ts";

describeFacades("the fake agent", openFakeStage);
