import { HalyardError } from "../../core/error.ts";
import type { Greeting, RuntimeReport } from "../../schema/runtime-info.ts";
import { openHalyard } from "../open-halyard.ts";
import type { Colors } from "../output/colors.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";
import type { RuntimeListOptions } from "./runtime-list.ts";

export async function runtimeDoctor(
  names: readonly string[],
  { format }: RuntimeListOptions,
): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  await using halyard = await openHalyard(terminal, { store: "memory" });
  const asked = names.length > 0 ? names : (await halyard.runtimes()).map(({ name }) => name);
  const reports = await Promise.all(asked.map((name) => halyard.examine(name)));
  const absent: string[] = [];
  for (const report of reports) {
    const isOneOfMany = report.protocol !== undefined && !report.availability.available;
    if (format === "json") await out.write(`${JSON.stringify(report)}\n`);
    else if (isOneOfMany && names.length === 0) absent.push(report.name);
    else await out.write(tell(report, out.colors));
  }
  if (absent.length > 0) await out.write(out.colors.dim(`not installed: ${absent.join(", ")}\n`));
  throwIfUnwritable(terminal);
  const isFine = reports.every(({ usable }) => usable);
  return isFine ? 0 : new HalyardError("runtime_unavailable", "not usable").exitCode;
}

function tell(report: RuntimeReport, colors: Colors): string {
  const { name, displayName, availability, testedWith, signedIn, usable, advice } = report;
  const { greeting } = report;
  const mark = usable ? colors.green("✓") : colors.red("✗");
  const facts = availability.available
    ? [
        availability.version && `version ${availability.version}`,
        availability.program && `at ${tilde(availability.program)}`,
        testedWith && `tested with ${testedWith}`,
        ...(greeting ? greetingLines(greeting) : []),
        signInWords[signedIn],
      ]
    : [colors.red(availability.reason), testedWith && `tested with ${testedWith}`];
  const lines = [...facts.filter(Boolean), ...advice.map((line) => `→ ${line}`)];
  const body = lines.map((line) => `  ${line}\n`).join("");
  return `${mark} ${colors.bold(name.padEnd(10))} ${displayName}\n${body}`;
}

function greetingLines({ protocol, version, agent, signIn, capabilities }: Greeting): string[] {
  return [
    `${agent} speaks ${protocol} ${version}`,
    `capabilities ${JSON.stringify(capabilities)}`,
    ...(signIn.length > 0 ? [`signs in by ${signIn.join(", ")}`] : []),
  ];
}

const signInWords = {
  yes: "signed in",
  no: "not signed in",
  unknown: "whether it is signed in cannot be told from here",
} as const;
