import { expect, test } from "vitest";
import { ContainerOptions } from "./container.ts";

test.each(["localhost/a:1", "registry.example:5000/b@sha256:0f", "Alpine", "c_1.2-3", "none"])(
  "accepts %j as the name of an image, a container and a network",
  (name) => {
    expect(ContainerOptions.parse({ image: name, network: name })).toEqual({
      image: name,
      network: name,
    });
    expect(ContainerOptions.parse({ containerId: name })).toEqual({ containerId: name });
  },
);

test.each(["--privileged", "-v/:/x", "../x", "..", "a b", "a\nb", "a;b", "", "@x"])(
  "rejects %j as the name of an image, a container or a network",
  (name) => {
    for (const option of ["image", "containerId", "network"])
      expect(() => ContainerOptions.parse({ [option]: name })).toThrow(/letter or a digit/);
  },
);
