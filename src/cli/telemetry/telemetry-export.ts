import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { findSession } from "../../halyard/find-session.ts";
import { exportTelemetry, spansIn } from "../../telemetry/export-telemetry.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { plural } from "../text/format.ts";

export interface TelemetryExportOptions {
  readonly since?: string;
  readonly session?: readonly string[];
  readonly endpoint?: string;
  readonly content?: boolean;
  readonly format: "otlp" | "json";
}

/** Sends the spans of past turns to a receiver, or prints the spans if the format is `json`. */
export async function telemetryExport(options: TelemetryExportOptions): Promise<number> {
  const console = openConsole();
  const { env } = console;
  const { since, session, endpoint, format } = options;
  const home = homeDirectory(env);
  const config = await loadConfig({ env, cwd: home, home });
  const settings = config.userSettings?.value?.telemetry ?? {};
  await using halyard = await openDaemonOrLocal(console);
  const sessions =
    session &&
    (await Promise.all(session.map((text) => findSession(halyard, text)))).map(({ id }) => id);
  const content = options.content ?? settings.content ?? false;
  const filter = { since, sessions, content };
  if (format === "json")
    for await (const span of spansIn(halyard, filter))
      await console.out.write(`${JSON.stringify(span)}\n`);
  else {
    const target = { ...settings, ...(endpoint !== undefined && { endpoint }) };
    const sent = await exportTelemetry(halyard, { ...target, ...filter, env });
    const [spans, of] = [plural(sent.spans, "span"), plural(sent.sessions, "session")];
    await console.err.write(`Sent ${spans} of ${of}.\n`);
  }
  throwIfUnwritable(console);
  return 0;
}
