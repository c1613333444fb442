import { describeVersion1 } from "./describe-version-1.ts";

describeVersion1("loads");
describeVersion1("echo");
