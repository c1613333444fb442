import { claudeAdapter } from "../../src/adapters/claude/index.ts";
import { ccsdkAdapter } from "../../src/adapters/claude/sdk/sdk.ts";
import { codexAdapter } from "../../src/adapters/codex/index.ts";
import { droidAdapter } from "../../src/adapters/droid/index.ts";
import { opencodeAdapter } from "../../src/adapters/opencode/index.ts";
import { piAdapter } from "../../src/adapters/pi/index.ts";
import type { Adapter } from "../../src/contracts/adapter.ts";
import { piProgram } from "./runtimes-dir.ts";
import type { ScenePaths } from "./scene.ts";

/** Creates the adapters of all installed programs. Each program runs in its own process. */
export function everyAdapter(paths: ScenePaths): Adapter[] {
  return [
    claudeAdapter(paths),
    ccsdkAdapter(paths),
    codexAdapter(paths),
    droidAdapter(paths),
    opencodeAdapter(paths),
    piAdapter({ ...paths, mode: "rpc", bin: piProgram }),
  ];
}
