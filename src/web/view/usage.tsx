import { useEffect, useState } from "preact/hooks";
import type { UsageReport, UsageTotal } from "../../schema/usage/usage-report.ts";
import { formatCost, formatCount, formatDuration, plural, tokensOf } from "../text/format.ts";
import { useApp } from "./context.ts";

/** Days that the chart shows. */
const DAYS = 30;

const DAY_MS = 86_400_000;

/** Tokens and cost by day, runtime, project and model. */
export function UsageView() {
  const app = useApp();
  const [report, setReport] = useState<UsageReport>();
  const [days] = useState(() => lastDays(app.now.get()));
  useEffect(() => {
    app.api.usage(days[0] ?? "").then(setReport, (error) => app.fail(error));
  }, [app, days]);
  return (
    <div class="view">
      <header class="view-header">
        <a class="quiet icon back" href="#/" aria-label="All sessions">
          ←
        </a>
        <h1>Usage</h1>
      </header>
      {report && <Report report={report} days={days} />}
    </div>
  );
}

function Report({ report, days }: { report: UsageReport; days: readonly string[] }) {
  const { total } = report;
  const known = new Map(report.days.map((day) => [day.day, day]));
  const named = <Key extends string>(
    totals: readonly (UsageTotal & Record<Key, string>)[],
    key: Key,
  ) => totals.map((one) => ({ name: one[key], total: one }));
  return (
    <div class="view-body usage">
      <dl class="figures">
        <Figure name="Tokens" value={formatCount(tokensOf(total))} />
        <Figure name="Cost" value={formatCost(total.costUsd) || "—"} />
        <Figure name="Turns" value={formatCount(total.turns)} />
        <Figure name="Time" value={formatDuration(total.durationMs)} />
      </dl>
      <section>
        <h2>Tokens per day, last {DAYS} days</h2>
        <DayChart days={days.map((name) => ({ name, total: known.get(name) }))} />
      </section>
      <div class="columns">
        <Bars title="By runtime" groups={named(report.runtimes, "runtime")} />
        <Bars title="By project" groups={named(report.projects, "project")} />
        <Bars title="By model" groups={named(report.models, "model")} />
      </div>
      <p class="note">Days are in UTC. The cost is what the runtimes report.</p>
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

const HEIGHT = 140;
const STEP = 24;

/** The usage of a day, a runtime, a project or a model. */
interface Group {
  readonly name: string;
  readonly total: UsageTotal | undefined;
}

const tokensIn = ({ total }: Group): number => (total ? tokensOf(total) : 0);

function DayChart({ days }: { days: readonly Group[] }) {
  const most = Math.max(1, ...days.map(tokensIn));
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 20}`}
      role="img"
      aria-label={`Tokens per day, at most ${formatCount(most)}`}
    >
      {days.map((day, index) => {
        const tokens = tokensIn(day);
        const height = tokens === 0 ? 1 : Math.max(3, (tokens / most) * HEIGHT);
        return (
          <g key={day.name}>
            <title>{describe(day)}</title>
            <rect
              class={tokens === 0 ? "bar none" : "bar"}
              x={index * STEP + 4}
              width={STEP - 8}
              y={HEIGHT - height}
              height={height}
              rx={Math.min(3, height / 2)}
            />
            {index > 0 && index % 7 === (days.length - 2) % 7 && (
              <text x={index * STEP + STEP / 2} y={HEIGHT + 16} text-anchor="middle">
                {day.name.slice(5)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function describe(group: Group): string {
  const parts = [`${formatCount(tokensIn(group))} tokens`, formatCost(group.total?.costUsd)];
  if (group.total) parts.push(plural(group.total.turns, "turn"));
  return `${group.name}: ${parts.filter(Boolean).join(", ")}`;
}

/** Groups that are shown. The server sends the largest first. */
const MOST_GROUPS = 10;

function Bars({ title, groups }: { title: string; groups: readonly Group[] }) {
  const most = Math.max(1, ...groups.map(tokensIn));
  return (
    <section>
      <h2>{title}</h2>
      {groups.length === 0 && <p class="note">Nothing yet.</p>}
      <ul class="bars">
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <li key={group.name} title={describe(group)}>
            <span class="name">{group.name}</span>
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect class="bar-track" width="100" height="4" rx="2" />
              <rect class="bar" width={(tokensIn(group) / most) * 100} height="4" rx="2" />
            </svg>
            <span class="value">
              {formatCount(tokensIn(group))}
              <span class="faint"> {formatCost(group.total?.costUsd)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
