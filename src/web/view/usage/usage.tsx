import { useEffect, useState } from "preact/hooks";
import { totalTokens } from "../../../schema/usage/usage.ts";
import type { UsageReport, UsageTotal } from "../../../schema/usage/usage-report.ts";
import { formatCost, formatCount, formatDuration } from "../../text/format.ts";
import { useApp } from "../context.ts";
import { ViewHeader } from "../view-header.tsx";
import { Bars } from "./bars.tsx";
import { DayChart } from "./day-chart.tsx";
import { LimitList } from "./limit-list.tsx";
import { type Metric, metrics } from "./metric.ts";

/** The number of days that the chart shows. */
const DAYS = 30;

const DAY_MS = 86_400_000;

/** Shows tokens, cost and time by day, runtime, project and model, and the accounts' usage limits. */
export function UsageView() {
  const app = useApp();
  const [report, setReport] = useState<UsageReport>();
  const [days] = useState(() => lastDays(app.now.get()));
  useEffect(() => {
    app.api.usage(days[0] ?? "").then(setReport, (error) => app.fail(error));
  }, [app, days]);
  return (
    <div class="view">
      <ViewHeader title="Usage" />
      {report && <Report report={report} days={days} />}
    </div>
  );
}

function Report({ report, days }: { report: UsageReport; days: readonly string[] }) {
  const [metric, setMetric] = useState<Metric>(metrics[0]);
  const { total } = report;
  const known = new Map(report.days.map((day) => [day.day, day]));
  const named = <Key extends string>(
    totals: readonly (UsageTotal & Record<Key, string>)[],
    key: Key,
  ) => totals.map((one) => ({ name: one[key], total: one }));
  return (
    <div class="view-body usage">
      <dl class="figures">
        <Figure name="Tokens" value={formatCount(totalTokens(total))} />
        <Figure name="Cost" value={formatCost(total.costUsd) || "—"} />
        <Figure name="Turns" value={formatCount(total.turns)} />
        <Figure name="Time" value={formatDuration(total.durationMs)} />
      </dl>
      <LimitList />
      <section>
        <div class="section-head">
          <h2>
            {metric.name} per day, last {DAYS} days
          </h2>
          <fieldset class="choice" aria-label="Show">
            {metrics.map((one) => (
              <button
                key={one.name}
                type="button"
                class="quiet"
                aria-pressed={one === metric}
                onClick={() => setMetric(one)}
              >
                {one.name}
              </button>
            ))}
          </fieldset>
        </div>
        <DayChart metric={metric} days={days.map((name) => ({ name, total: known.get(name) }))} />
      </section>
      <div class="columns">
        <Bars title="By runtime" metric={metric} groups={named(report.runtimes, "runtime")} />
        <Bars title="By project" metric={metric} groups={named(report.projects, "project")} />
        <Bars title="By model" metric={metric} groups={named(report.models, "model")} />
      </div>
      <p class="note">
        Days are in UTC. Costs include only the costs that the runtimes report, without estimates.
      </p>
    </div>
  );
}

function lastDays(now: number): string[] {
  const dayOf = (back: number) => new Date(now - back * DAY_MS).toISOString().slice(0, 10);
  return [...Array(DAYS).keys()].map((index) => dayOf(DAYS - 1 - index));
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
