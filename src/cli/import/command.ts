import type { Command } from "commander";
import { examples } from "../examples.ts";

export function addImport(program: Command): void {
  program
    .command("import")
    .description("Import the sessions in an archive as ended sessions that keep their ids")
    .argument("<file>", 'file that "halyard export --archive" wrote')
    .addHelpText(
      "after",
      examples([
        ["halyard import api.halyard", "fails if a session in the archive already exists"],
      ]),
    )
    .action(async (file: string) => {
      const { importSessions } = await import("./import.ts");
      process.exitCode = await importSessions(file);
    });
}
