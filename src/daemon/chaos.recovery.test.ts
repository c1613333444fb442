import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { torment } from "../../test/chaos/torment.ts";
import { newDaemonUser } from "../../test/daemon/scene.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import type { ModelApi } from "../schema/model.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";

const seconds = Number(process.env.HALYARD_CHAOS_SECONDS ?? 25);
const seed = Number(process.env.HALYARD_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runtimes: readonly (readonly [string, ModelApi])[] = [
  ["codex", "openai-responses"],
  ["pi", "openai-chat"],
];

test(
  `codex and pi: no event is lost or repeated and no process is left over when daemons and agents are killed (HALYARD_CHAOS_SEED=${seed})`,
  async () => {
    const text = [...Array(80).keys()].join(" ");
    const replies = [{ text, chunkSize: 6, chunkDelayMs: 15 }];
    const model = await startScriptedModel([{ when: "Count.", replies }]);
    onTestFinished(() => model.close());
    const user = await newDaemonUser();
    await mkdir(user.home, { recursive: true });
    await symlink(runtimesDir, join(user.home, "runtimes"));
    const limits = { firstOutputMs: 15_000, progressMs: 15_000, cancelMs: 5_000 };
    const parts = runtimes.flatMap(([runtime, api]) => {
      const common = { runtime, cwd: user.cwd, permissions: "allow-all", limits } as const;
      const part = { request: { ...common, model: model.endpoint(api) }, prompt: () => "Count." };
      return [part, part];
    });
    await torment(user, parts, { seed, seconds });
  },
  (seconds + 150) * 1000,
);
