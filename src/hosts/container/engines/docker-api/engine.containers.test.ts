import { newDirectory } from "../../../../../test/containers/new-directory.ts";
import { TEST_IMAGE } from "../../../../../test/containers/test-image.ts";
import { useEngine } from "../../../../../test/containers/use-engine.ts";
import { describeContainerEngine } from "../../../../testing/describe-container-engine.ts";

for (const name of ["docker", "podman"] as const) {
  const { runtime } = useEngine(name);
  describeContainerEngine(name, {
    createRuntime: () => runtime,
    image: TEST_IMAGE,
    newDirectory,
  });
}
