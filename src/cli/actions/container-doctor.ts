import { type EngineReport, examineEngines } from "../../containers/doctor.ts";
import { DEFAULT_IMAGE } from "../../containers/image/default-image.ts";
import { HalyardError } from "../../core/error.ts";
import type { Colors } from "../output/colors.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface ContainerDoctorOptions {
  readonly format: "text" | "json";
  readonly image?: string;
}

export async function containerDoctor(options: ContainerDoctorOptions): Promise<number> {
  const terminal = openTerminal();
  const { env, out } = terminal;
  const reports = await examineEngines(env, options.image ?? DEFAULT_IMAGE);
  for (const report of reports) {
    const text = options.format === "json" ? JSON.stringify(report) : tell(report, out.colors);
    await out.write(`${text}\n`);
  }
  throwIfUnwritable(terminal);
  const isFine = reports.some(({ isChosen, starts }) => isChosen && starts === true);
  return isFine ? 0 : new HalyardError("host_unavailable", "no container can be started").exitCode;
}

function tell(report: EngineReport, colors: Colors): string {
  const { name, address, version, isChosen, hasImage, starts, problem, advice } = report;
  const mark = starts ? colors.green("✓") : version ? colors.yellow("–") : colors.red("✗");
  const facts = [
    version && `version ${version}${isChosen ? ", the one that sessions use" : ""}`,
    starts && "a container was started, used and removed",
    hasImage === false && "the image is not there, so no container could be tried",
    problem && colors.red(problem),
    ...advice.map((line) => `→ ${line}`),
  ].filter(Boolean);
  const head = `${mark} ${colors.bold(name.padEnd(7))} ${address}`;
  return [head, ...facts.map((line) => `  ${line}`)].join("\n");
}
