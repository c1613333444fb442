import { expect, test } from "vitest";
import { readMachineLimits } from "./machine-limits.ts";
import { startAdvice } from "./start-advice.ts";

const limits = { openFiles: 20_000, pids: 32_768 };

/** Error messages that real engines have produced. */
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
  "explains Podman's limit error (%s) with limits that this machine allows",
  (name) => {
    const advice = startAdvice(met[name], limits);
    expect(advice).toContain('default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]');
    expect(advice).toContain("containers.conf");
  },
);

test("explains Podman's cgroup error and its fix", () => {
  expect(startAdvice(met.cgroups, limits)).toMatch(/runc.*runtime = "runc"/);
});

test("explains other known errors and returns undefined for an unknown one", () => {
  expect(startAdvice(met.init, limits)).toMatch(/Install catatonit/);
  expect(startAdvice(met.mount, limits)).toMatch(/runs on another machine/);
  expect(startAdvice("something new", limits)).toBeUndefined();
});

test("reads this machine's numeric limits", () => {
  const { openFiles, pids } = readMachineLimits();
  expect(openFiles).toBeGreaterThan(0);
  expect(pids).toBeGreaterThan(0);
});
