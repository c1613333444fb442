import { HalyardError } from "../../errors/error.ts";
import { type EngineReport, inspectEngines } from "../../hosts/container/engines/doctor.ts";
import { DEFAULT_IMAGE } from "../../hosts/container/image/default-image.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import type { Colors } from "../text/colors.ts";

export interface ContainerDoctorOptions {
  readonly format: "text" | "json";
  readonly image?: string;
}

export async function containerDoctor(options: ContainerDoctorOptions): Promise<number> {
  const console = openConsole();
  const { env, out } = console;
  const reports = await inspectEngines(env, options.image ?? DEFAULT_IMAGE);
  for (const report of reports) {
    const text = options.format === "json" ? JSON.stringify(report) : describe(report, out.colors);
    await out.write(`${text}\n`);
  }
  throwIfUnwritable(console);
  const isFine = reports.some(({ isChosen, starts }) => isChosen && starts === true);
  return isFine ? 0 : new HalyardError("host_unavailable", "No container can be started.").exitCode;
}

function describe(report: EngineReport, colors: Colors): string {
  const { name, address, version, isChosen, hasImage, starts, problem, advice } = report;
  const mark = starts ? colors.green("✓") : version ? colors.yellow("–") : colors.red("✗");
  const facts = [
    version && `version ${version}${isChosen ? ", used by sessions" : ""}`,
    starts && "a container was started, used and removed",
    hasImage === false && "the image is missing, so no container was tested",
    problem && colors.red(problem),
    ...advice.map((line) => `→ ${line}`),
  ].filter(Boolean);
  const head = `${mark} ${colors.bold(name.padEnd(7))} ${address}`;
  return [head, ...facts.map((line) => `  ${line}`)].join("\n");
}
