import { z } from "zod";
import type { ContainerInfo, ContainerStatus } from "../../../../contracts/container-engine.ts";

/**
 * An entry in the output of `container inspect` and `container list`. The status is a string in older versions, and an
 * object with the field `state` in newer versions.
 */
const Container = z.looseObject({
  status: z.union([
    z.string(),
    z.looseObject({ state: z.string() }).transform(({ state }) => state),
  ]),
  configuration: z.looseObject({
    id: z.string(),
    image: z.looseObject({ reference: z.string() }),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  startedDate: z.union([z.string(), z.number()]).nullish(),
});

/** Parses the output of `container inspect` or `container list`. Throws if the format is unknown. */
export function parseContainers(json: string): ContainerInfo[] {
  return z.array(Container).parse(JSON.parse(json)).map(toInfo);
}

function toInfo({ status, configuration, startedDate }: z.infer<typeof Container>): ContainerInfo {
  const { id, image, labels } = configuration;
  return {
    id,
    name: id,
    image: image.reference,
    status: statuses[status] ?? "stopped",
    labels,
    startedAt: String(startedDate ?? ""),
  };
}

const statuses: Readonly<Record<string, ContainerStatus>> = {
  running: "running",
  stopping: "running",
  created: "created",
  stopped: "stopped",
};
