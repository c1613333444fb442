import { expect, test } from "vitest";
import { insidePath } from "./existing-container-host.ts";

const container = {
  id: "one",
  name: "one",
  image: "image",
  status: "running",
  labels: {},
  startedAt: "",
  mounts: [
    { source: "/home/user", target: "/user" },
    { source: "/home/user/work/", target: "/work" },
  ],
} as const;

test.each([
  ["/home/user/work", "/work"],
  ["/home/user/work/a", "/work/a"],
  ["/home/user/work/..a", "/work/..a"],
  ["/home/user/workshop", "/user/workshop"],
  ["/home/other", "/home/other"],
])("maps %s to %s in the container", (path, inside) => {
  expect(insidePath(container, path)).toBe(inside);
});
