import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import type { ContainerDoctorOptions } from "./container-doctor.ts";
import type { ImageBuildOptions } from "./image-build.ts";

export function addContainer(program: Command): void {
  program
    .command("container")
    .description("Check container engines")
    .command("doctor")
    .description("Check each container engine and print what to fix")
    .option("--image <name>", "image to test (default: the agent image)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard container doctor", "check whether a container can be started"],
        ["CONTAINER_RUNTIME=podman halyard container doctor", "check only this engine"],
      ]),
    )
    .action(async (options: ContainerDoctorOptions) => {
      const { containerDoctor } = await import("./container-doctor.ts");
      process.exitCode = await containerDoctor(options);
    });
  program
    .command("image")
    .description("Build the image that agents run in")
    .command("build")
    .description("Build an image with Node, git, ripgrep and the given runtimes")
    .option("--runtimes <names>", "runtimes to include, separated by commas", "pi")
    .option("--tag <name>", "image name (default: localhost/halyard-agent:latest)")
    .option("--base <image>", "base image with Node and apt (default: the official Node image)")
    .option("--offline", "build from files on this machine, without a registry (Linux only)")
    .addHelpText(
      "after",
      examples([
        [
          "halyard image build --runtimes pi,codex,claude",
          'build the image for "halyard run --host container"',
        ],
        [
          "halyard image build --offline --runtimes codex",
          "include the Codex that is installed on this machine",
        ],
      ]),
    )
    .action(async (options: ImageBuildOptions) => {
      const { imageBuild } = await import("./image-build.ts");
      process.exitCode = await imageBuild(options);
    });
}
