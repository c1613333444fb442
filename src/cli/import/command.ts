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
        [
          "halyard import api.halyard",
          "import all sessions, or none if one of them already exists",
        ],
      ]),
    )
    .action(async (file: string) => {
      const { importSessions } = await import("./import.ts");
      process.exitCode = await importSessions(file);
    });
}
