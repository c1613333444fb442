import { test } from "vitest";
import { tormentCluster } from "../../test/cluster/torment.ts";

const seconds = Number(process.env.HALYARD_CLUSTER_CHAOS_SECONDS ?? 90);
const seed = Number(process.env.HALYARD_CLUSTER_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(
  `loses, doubles, reorders and leaves behind nothing while workers and servers are killed and paused (HALYARD_CLUSTER_CHAOS_SEED=${seed})`,
  () => tormentCluster({ seed, seconds }),
  (seconds + 240) * 1000,
);
