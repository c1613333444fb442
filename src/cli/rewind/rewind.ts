import { findSession } from "../../halyard/find-session.ts";
import { openConsole } from "../console/console.ts";
import { summaryOf } from "../diff/diff.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanText } from "../text/clean.ts";

export interface RewindOptions {
  readonly to: string;
  readonly format: "text" | "json";
}

export async function rewind(session: string, { to, format }: RewindOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const { id } = await findSession(halyard, session);
  const rewound = await halyard.rewind(id, { to });
  if (format === "json") {
    await out.write(`${JSON.stringify(rewound)}\n`);
    return 0;
  }
  await out.write(`${summaryOf(rewound)}\n`);
  for (const path of rewound.kept) await err.write(`kept ${cleanText(path)}\n`);
  await err.write(`To undo: halyard rewind ${id} --to ${rewound.before}\n`);
  return 0;
}
