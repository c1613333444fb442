import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The files that may contain keys, by the kind of directory. */
const files = {
  config: ["factory.json", "models.json"],
  project: [".factory/settings.json", ".factory/settings.local.json", ".factory/mcp.json", ".env"],
} as const;

/** Writes a `.gitignore` for the files that may contain keys. Does not change an existing `.gitignore`. */
export async function ignoreKeys(directory: string, kind: keyof typeof files): Promise<void> {
  const lines = ["# These files may hold keys.", ...files[kind].map((file) => `/${file}`), ""];
  await mkdir(directory, { recursive: true });
  try {
    await writeFile(join(directory, ".gitignore"), lines.join("\n"), { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
