import { homedir } from "node:os";
import { join } from "node:path";

/** Where the real programs are kept between runs: laid out as in Halyard's home. */
export const runtimesDir =
  process.env.HALYARD_TEST_RUNTIMES ?? join(homedir(), ".cache", "halyard-test-runtimes");
