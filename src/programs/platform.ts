import { readFileSync } from "node:fs";
import { z } from "zod";

/** The properties of a machine that determine which native build of a program runs on it. */
export interface Platform {
  /** As in `process.platform`. */
  readonly platform: string;
  /** As in `process.arch`. */
  readonly arch: string;
  /** True if the C library is musl. */
  readonly isMusl: boolean;
  /**
   * True if the processor has AVX2, which builds without the suffix `-baseline` require. Checked only on Linux x64; true
   * on all other machines.
   */
  readonly hasAvx2: boolean;
}

/**
 * True if the process table and open directories can be read below /proc. Other systems use `ps` and plain paths.
 * `HALYARD_PLATFORM=portable` disables /proc on Linux too, so that CI can test the alternatives.
 */
export const hasProc = process.platform === "linux" && process.env.HALYARD_PLATFORM !== "portable";

/** The machine that this process runs on. Its getters defer the slow checks until an adapter needs them. */
export const thisPlatform: Platform = {
  platform: process.platform,
  arch: process.arch,
  get isMusl() {
    if (process.platform !== "linux") return false;
    const report: unknown = process.report.getReport();
    return !GlibcReport.safeParse(report).success;
  },
  get hasAvx2() {
    if (process.platform !== "linux" || process.arch !== "x64") return true;
    try {
      return readFileSync("/proc/cpuinfo", "utf8").includes("avx2");
    } catch {
      return false;
    }
  },
};

const GlibcReport = z.looseObject({
  header: z.looseObject({ glibcVersionRuntime: z.string() }),
});
