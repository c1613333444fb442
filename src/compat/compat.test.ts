import { openFakeStage } from "../../test/compat/fake-stage.ts";
import { describeCompat } from "../testing/describe-compat.ts";

describeCompat("the fake agent", openFakeStage);
