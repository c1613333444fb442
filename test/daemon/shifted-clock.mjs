/**
 * Loaded before a program (`node --import`), it sets the program's clock off by the milliseconds that are in the file
 * CLOCK_SHIFT names, whenever the time is asked for: the machine's time jumps when the file is written.
 */
import { readFileSync } from "node:fs";

const { CLOCK_SHIFT = "" } = process.env;
const machineNow = Date.now;

Date.now = () => machineNow() + Number(readFileSync(CLOCK_SHIFT, "utf8"));

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, newTarget),
});
