import type { Command } from "commander";
import { examples } from "../examples.ts";
import type { OpenPageOptions } from "./open.ts";

export function addOpen(program: Command): void {
  program
    .command("open")
    .description("Open the web page that shows all sessions")
    .option("--no-browser", "print a link that signs in one browser within 60 s")
    .option("--sign-out", "sign out all browsers and revoke all shared links")
    .addHelpText(
      "after",
      examples([
        ["halyard open", "open the page, and start the daemon if it is not running"],
        [
          "halyard open --no-browser",
          "print a link for another browser, or for use through ssh -L",
        ],
        ["halyard open --sign-out", "require every browser to sign in again"],
      ]),
    )
    .action(async (options: OpenPageOptions) => {
      const { openPage } = await import("./open.ts");
      process.exitCode = await openPage(options);
    });
}
