/**
 * Shifts the clock of a program by the milliseconds in the file that CLOCK_SHIFT names. It is loaded with `node --import` and
 * reads the file on every call, so that the time jumps when a test writes the file.
 */
import { readFileSync } from "node:fs";

const { CLOCK_SHIFT = "" } = process.env;
const machineNow = Date.now;

Date.now = () => machineNow() + Number(readFileSync(CLOCK_SHIFT, "utf8"));

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
});
