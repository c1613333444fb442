import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RegistryFile } from "../src/compat/gas-town/files/registry.ts";
import { RigFile } from "../src/compat/gas-town/files/rig.ts";
import { FactoryFile } from "../src/config/files/factory.ts";
import { ModelsFile } from "../src/config/files/models.ts";
import { ProjectFile } from "../src/config/files/project.ts";
import { WrittenServerFile } from "../src/config/files/server.ts";
import { SettingsFile } from "../src/config/files/settings.ts";
import { TrustFile } from "../src/config/files/trust.ts";
import { parseJsonText } from "../src/config/json/json-text.ts";
import { ProjectDefaults } from "../src/schema/project/project.ts";
import { RuntimeSource } from "../src/schema/runtimes/runtime-decision.ts";

const page = readFileSync(new URL("../docs/reference/configuration.md", import.meta.url), "utf8");

const schemas = {
  "halyard.json": SettingsFile,
  "config/server.json": WrittenServerFile,
  "config/factory.json": FactoryFile,
  "config/models.json": ModelsFile,
  "config/project-defaults.json": ProjectDefaults,
  "projects/ID/metadata.json": ProjectFile,
  "~/.gastown/runtimes.json": RegistryFile,
  ".gastown/runtime.json": RigFile,
  "trust.json": TrustFile,
};

describe("docs/reference/configuration.md describes how to configure, select and override runtimes [s2.docs.runtimes]", () => {
  test.each(Object.entries(schemas))("contains a valid example of %s", (file, schema) => {
    const [, text] = page.split(`\`\`\`jsonc\n// ${file}\n`);
    const example = text?.split("\n```")[0] ?? "";
    expect(parseJsonText(file, example, schema)).toMatchObject({ warnings: [] });
  });

  test("lists every source of a runtime in order of precedence", () => {
    const rows = [...page.matchAll(/^\| \d+ \| `([a-z-]+)` \| .*\S.* \| .* \|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(RuntimeSource.options);
  });

  test("describes every key that it lists", () => {
    const files = page.slice(page.indexOf("## Files"), page.indexOf("## Environment variables"));
    const rows = [...files.matchAll(/^\| `([^`]+)` \| [^|]+ \| ?(.*)\|$/gm)];
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(([, , comment = ""]) => comment.trim() === "")).toEqual([]);
  });
});
