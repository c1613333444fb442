import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const LOOK_EVERY_MS = 500;
const QUIET_LOOKS = 6;
const MOST_LOOKS = 80;

/**
 * Resolves when the cores have been almost idle for three seconds, or after 40 s. A measurement must not start earlier, because
 * Node collects garbage in an idle process about eight seconds after its start.
 */
export async function quiet() {
  let quietLooks = 0;
  for (let look = 0; look < MOST_LOOKS && quietLooks < QUIET_LOOKS; look++) {
    const before = spent();
    await setTimeout(LOOK_EVERY_MS);
    const after = spent();
    const busy = (after.busy - before.busy) / (after.all - before.all);
    quietLooks = busy < 0.1 ? quietLooks + 1 : 0;
  }
}

/** Returns the total time and the busy time of all cores since boot, in milliseconds. */
function spent() {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    for (const time of Object.values(times)) all += time;
    idle += times.idle;
  }
  return { all, busy: all - idle };
}
