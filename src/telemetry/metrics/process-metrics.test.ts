import parse from "parse-prometheus-text-format";
import { expect, test } from "vitest";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { toExposition } from "./exposition.ts";
import { DurationHistogram } from "./histogram.ts";

test("writes metrics that a Prometheus parser accepts", async () => {
  const home = await temporaryDirectory();
  await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const session = await halyard.start({ runtime: "fake", cwd: home });
  await session.send("say hello").outcome;
  const families = parse(await halyard.metrics());
  const byName = new Map(families.map((family) => [family.name, family]));
  expect([...byName].map(([name, { type }]) => `${name} ${type}`)).toEqual([
    "halyard_sessions GAUGE",
    "halyard_queued_turns GAUGE",
    "halyard_open_requests GAUGE",
    "halyard_hook_deliveries_waiting GAUGE",
    "halyard_log_position COUNTER",
    "halyard_turns_total COUNTER",
    "halyard_events_total COUNTER",
    "halyard_store_append_seconds HISTOGRAM",
    "process_resident_memory_bytes GAUGE",
    "nodejs_heap_size_used_bytes GAUGE",
    "process_cpu_seconds_total COUNTER",
    "process_uptime_seconds GAUGE",
  ]);
  const [appends] = byName.get("halyard_store_append_seconds")?.metrics ?? [];
  expect(Number(appends?.count)).toBeGreaterThan(0);
  expect(appends?.buckets?.["+Inf"]).toBe(appends?.count);
});

test("counts durations in cumulative buckets", () => {
  const histogram = new DurationHistogram();
  for (const ms of [0.05, 0.2, 0.2, 3, 60_000]) histogram.record(ms);
  const lines = toExposition([histogram.toFamily("t", "a\\b\nc")]).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "# HELP t a\\\\b\\nc",
    "# TYPE t histogram",
    't_bucket{le="0.0001"} 1',
    't_bucket{le="0.00025"} 3',
  ]);
  expect(lines.slice(-5)).toEqual([
    't_bucket{le="5"} 4',
    't_bucket{le="+Inf"} 5',
    "t_sum 60.00345",
    "t_count 5",
    "",
  ]);
});

test("escapes quotes, backslashes and line breaks in labels", () => {
  const samples = [{ labels: { name: 'a "b"\\\n' }, value: Number.POSITIVE_INFINITY }];
  const text = toExposition([{ name: "x", help: "h", type: "gauge", samples }]);
  expect(text).toBe('# HELP x h\n# TYPE x gauge\nx{name="a \\"b\\"\\\\\\n"} +Inf\n');
});
