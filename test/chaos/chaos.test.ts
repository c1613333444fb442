import { test } from "vitest";
import { newDaemonUser } from "../daemon/scene.ts";
import type { Chance } from "./chance.ts";
import { torment } from "./torment.ts";

const seconds = Number(process.env.HALYARD_CHAOS_SECONDS ?? 90);
const seed = Number(process.env.HALYARD_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SESSIONS = 20;

function prompt(chance: Chance): string {
  const count = chance.between(1, 400);
  return chance.pick([
    `stream ${count}`,
    `say a; tick ${chance.between(5, 60)} ${chance.between(1, 40)}; say b`,
    `think; sh echo ${count}; say done`,
    `sh sleep 0.${chance.between(1, 9)}; stream ${count}`,
    "retry once more",
    "grandchild; say left some",
    "garbage; say still here",
    "fail on purpose",
    "die 3",
  ]);
}

test(
  `loses, duplicates and leaves behind nothing when daemons, agents and readers are killed (HALYARD_CHAOS_SEED=${seed})`,
  async () => {
    console.log(`HALYARD_CHAOS_SEED=${seed} HALYARD_CHAOS_SECONDS=${seconds}`);
    const user = await newDaemonUser();
    const limits = { firstOutputMs: 8_000, progressMs: 8_000, cancelMs: 3_000 };
    const request = { runtime: "fake", cwd: user.cwd, permissions: "allow-all", limits } as const;
    const parts = Array.from({ length: SESSIONS }, () => ({ request, prompt }));
    await torment(user, parts, { seed, seconds });
  },
  (seconds + 150) * 1000,
);
