import { HalyardError } from "../../errors/error.ts";
import type { Greeting, RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import type { Colors } from "../text/colors.ts";
import { abbreviateHome } from "../text/format.ts";
import type { RuntimeListOptions } from "./runtime-list.ts";

export async function runtimeDoctor(
  names: readonly string[],
  { format }: RuntimeListOptions,
): Promise<number> {
  const console = openConsole();
  const { out } = console;
  await using halyard = await openHalyard(console, { store: "memory" });
  const selected = names.length > 0 ? names : (await halyard.runtimes()).map(({ name }) => name);
  const reports = await Promise.all(
    selected.map((name) => halyard.inspect(name, { schema: true })),
  );
  const absent: string[] = [];
  for (const report of reports) {
    const isSummarized = report.protocol !== undefined && !report.availability.available;
    if (format === "json") await out.write(`${JSON.stringify(report)}\n`);
    else if (isSummarized && names.length === 0) absent.push(report.name);
    else await out.write(describe(report, out.colors));
  }
  if (absent.length > 0) await out.write(out.colors.dim(`not installed: ${absent.join(", ")}\n`));
  throwIfUnwritable(console);
  const isFine = reports.every(({ usable }) => usable);
  return isFine ? 0 : new HalyardError("runtime_unavailable", "not usable").exitCode;
}

function describe(report: RuntimeReport, colors: Colors): string {
  const { name, displayName, availability, testedWith, signedIn, usable, advice } = report;
  const { greeting } = report;
  const mark = usable ? colors.green("✓") : colors.red("✗");
  const facts = availability.available
    ? [
        availability.version && `version ${availability.version}`,
        availability.program && `at ${abbreviateHome(availability.program)}`,
        testedWith && `tested with ${testedWith}`,
        ...(greeting ? greetingLines(greeting) : []),
        signInTexts[signedIn],
      ]
    : [colors.red(availability.reason), testedWith && `tested with ${testedWith}`];
  const lines = [...facts.filter(Boolean), ...advice.map((line) => `→ ${line}`)];
  const body = lines.map((line) => `  ${line}\n`).join("");
  return `${mark} ${colors.bold(name.padEnd(10))} ${displayName}\n${body}`;
}

function greetingLines({ protocol, version, agent, signIn, capabilities }: Greeting): string[] {
  return [
    `${agent} uses ${protocol} ${version}`,
    `capabilities: ${JSON.stringify(capabilities)}`,
    ...(signIn.length > 0 ? [`sign-in methods: ${signIn.join(", ")}`] : []),
  ];
}

const signInTexts = {
  yes: "signed in",
  no: "not signed in",
  unknown: "sign-in unknown",
} as const;
