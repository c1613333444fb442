import { z } from "zod";
import type { ContainerInfo, ContainerStatus } from "../../../../contracts/container-engine.ts";

export const Version = z.looseObject({ Version: z.string() });

export const Created = z.looseObject({ Id: z.string() });

const Labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {});

export const Container = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  State: z.looseObject({ Status: z.string(), StartedAt: z.string() }),
  Config: z.looseObject({ Image: z.string(), Labels }),
  Mounts: z
    .array(z.looseObject({ Source: z.string().optional(), Destination: z.string() }))
    .nullish(),
});

export const Listed = z.array(
  z.looseObject({
    Id: z.string(),
    Names: z.array(z.string()),
    Image: z.string(),
    State: z.string(),
    Labels,
  }),
);

export function toContainerInfo(found: z.infer<typeof Container>): ContainerInfo {
  const { Id, Name, State, Config, Mounts } = found;
  return {
    id: Id,
    name: Name.replace(/^\//, ""),
    image: Config.Image,
    status: statusOf(State.Status),
    labels: Config.Labels,
    startedAt: State.StartedAt,
    mounts: (Mounts ?? []).flatMap(({ Source: source, Destination: target }) =>
      source ? [{ source, target }] : [],
    ),
  };
}

export function toListedInfo(found: z.infer<typeof Listed>[number]): ContainerInfo {
  const { Id, Names, Image, State, Labels: labels } = found;
  const name = Names[0]?.replace(/^\//, "") ?? Id;
  return { id: Id, name, image: Image, status: statusOf(State), labels, startedAt: "" };
}

function statusOf(word: string): ContainerStatus {
  switch (word) {
    case "created":
    case "running":
    case "paused":
      return word;
    case "configured":
    case "initialized":
      return "created"; // states that only Podman has
    default:
      return "stopped";
  }
}
