import { readFileSync } from "node:fs";

/**
 * Which kernel this is, and since when. A recording crosses between us and a container as files, pipes and sockets of
 * one kernel: an engine in a virtual machine or on another machine may show the same directories, but a pipe there is
 * not the pipe here.
 */
export function bootHere(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "none"; // as no kernel calls itself
  }
}
