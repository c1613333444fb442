import type { Command } from "commander";
import type { ContainerDoctorOptions } from "../actions/container-doctor.ts";
import type { ImageBuildOptions } from "../actions/image-build.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";

export function addContainer(program: Command): void {
  program
    .command("container")
    .description("See what containers can run on here.")
    .command("doctor")
    .description("Look at the container engines closely: what answers, what works, what to do.")
    .option("--image <name>", "the image to try (default: the agents' own)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard container doctor", "exits with 0 only if a container can be started"],
        ["CONTAINER_RUNTIME=podman halyard container doctor", "of this engine alone"],
      ]),
    )
    .action(async (options: ContainerDoctorOptions) => {
      const { containerDoctor } = await import("../actions/container-doctor.ts");
      process.exitCode = await containerDoctor(options);
    });
  program
    .command("image")
    .description("Make the image that agents run in.")
    .command("build")
    .description("Make it from its Dockerfile: Node, git, ripgrep and the agents asked for.")
    .option("--runtimes <names>", "the agents in it, with commas between (default: pi)", "pi")
    .option("--tag <name>", "what to call it (default: localhost/halyard-agent:latest)")
    .option("--base <image>", "what to build on, with Node and apt (default: Node's own)")
    .option("--offline", "make it of this machine's own files, without a registry (Linux)")
    .addHelpText(
      "after",
      examples([
        ["halyard image build --runtimes pi,codex,claude", "then halyard run --host container"],
        ["halyard image build --offline --runtimes codex", "with the codex that is installed here"],
      ]),
    )
    .action(async (options: ImageBuildOptions) => {
      const { imageBuild } = await import("../actions/image-build.ts");
      process.exitCode = await imageBuild(options);
    });
}
