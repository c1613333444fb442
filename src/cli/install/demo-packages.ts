import { piPackage } from "../../adapters/versions.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { Terminal } from "../terminal.ts";
import { install } from "./install.ts";

/** Fetches what the demo needs and the package does not bring along: Pi, and what the scripted model is made of. */
export async function ensureDemoPackages(halyard: Halyard, terminal: Terminal): Promise<void> {
  const runtimes = await halyard.runtimes();
  const pi = runtimes.find(({ name }) => name === "pi");
  if (!pi?.availability.available) await install("pi", piPackage, terminal);
}
