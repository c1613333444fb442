import { expect, test } from "vitest";
import { readMachineLimits } from "./machine-limits.ts";
import { explainStartTrouble } from "./start-trouble.ts";

const limits = { openFiles: 20_000, pids: 32_768 };

/** In the engines' own words, as they were met with. */
const met = {
  rlimitCrun: "crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied",
  rlimitRunc:
    "runc: runc create failed: unable to start container process: error during container init: error setting rlimits " +
    "for ready process: error setting rlimit type 7: operation not permitted: OCI permission denied",
  cgroups:
    "crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2: OCI runtime error",
  init: "container-init binary not found on the host: stat /usr/bin/catatonit: no such file or directory",
  mount: 'invalid mount config for type "bind": bind source path does not exist: /home/me/work',
};

test.for(["rlimitCrun", "rlimitRunc"] as const)(
  "Podman's first trap (%s) is told with limits that this machine has",
  (name) => {
    const advice = explainStartTrouble(met[name], limits);
    expect(advice).toContain('default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]');
    expect(advice).toContain("containers.conf");
  },
);

test("Podman's second trap is told with the way around it", () => {
  expect(explainStartTrouble(met.cgroups, limits)).toMatch(/runc.*runtime = "runc"/);
});

test("other known troubles are told with what to do, and unknown ones are left alone", () => {
  expect(explainStartTrouble(met.init, limits)).toMatch(/Install catatonit/);
  expect(explainStartTrouble(met.mount, limits)).toMatch(/runs elsewhere/);
  expect(explainStartTrouble("something new", limits)).toBeUndefined();
});

test("this machine's limits are numbers that a process can have", () => {
  const { openFiles, pids } = readMachineLimits();
  expect(openFiles).toBeGreaterThan(0);
  expect(pids).toBeGreaterThan(0);
});
