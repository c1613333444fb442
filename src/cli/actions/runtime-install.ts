import { piPackage } from "../../adapters/versions.ts";
import { HalyardError } from "../../core/error.ts";
import { install } from "../install/install.ts";
import { openTerminal } from "../terminal.ts";

export async function runtimeInstall(name: string): Promise<number> {
  if (name !== "pi")
    throw new HalyardError("unknown_runtime", `"${name}" cannot be installed; what can be: pi`);
  await install("pi", piPackage, openTerminal());
  return 0;
}
