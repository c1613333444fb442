import { test } from "vitest";
import { RECOVERY_SECONDS, tormentCluster } from "../../test/cluster/torment.ts";

const seconds = Number(process.env.HALYARD_CLUSTER_CHAOS_SECONDS ?? 90);
const seed = Number(process.env.HALYARD_CLUSTER_CHAOS_SEED ?? 4);

test(
  `neither loses, duplicates nor reorders events, and leaves nothing behind, while workers and servers are killed and paused (HALYARD_CLUSTER_CHAOS_SEED=${seed})`,
  () => tormentCluster({ seed, seconds }),
  (seconds + RECOVERY_SECONDS + 60) * 1000, // the test ends itself before this limit, and describes the cluster
);
