import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import { table } from "../text/table.ts";
import { openProjects } from "./open-projects.ts";
import type { ListFormatOptions } from "./project-list.ts";

export async function projectOptions({ format }: ListFormatOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  await using halyard = await openHalyard(console, { store: "memory" });
  const options = await openProjects(console).options(await halyard.runtimes());
  if (format === "json") await out.write(`${JSON.stringify(options)}\n`);
  else {
    const { agent_runtimes: runtimes, limits, models } = options;
    const rows = [
      ["runtimes", runtimes.available.join(", ") || "none"],
      ["default", describeDefault(runtimes)],
      ...Object.entries(limits).map(([name, value]) => [name, String(value)]),
      ["models", models.available.map(({ name }) => name).join(", ") || "none"],
    ];
    for (const line of table(rows)) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
  return 0;
}

function describeDefault({ default: configured, resolved }: { default: string; resolved: string }) {
  return configured === resolved ? resolved : `${configured}: ${resolved}`;
}
