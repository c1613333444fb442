import type { Command } from "commander";
import { shells } from "../choices.ts";
import { examples } from "../examples.ts";

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("Print a shell script that completes commands, options, sessions and requests")
    .addArgument(program.createArgument("<shell>", "shell that runs the script").choices(shells))
    .addHelpText(
      "after",
      examples([
        ['eval "$(halyard completion bash)"', "add this line to ~/.bashrc"],
        ['eval "$(halyard completion zsh)"', "add this line to ~/.zshrc, after compinit"],
        ["halyard completion fish | source", "add this line to ~/.config/fish/config.fish"],
      ]),
    )
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionScripts } = await import("./completion-scripts.ts");
      process.stdout.write(completionScripts[shell]);
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { completeWords } = await import("./complete.ts");
      process.exitCode = await completeWords(program, words);
    });
}
