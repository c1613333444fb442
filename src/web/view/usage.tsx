import { useMemo } from "preact/hooks";
import { useSource } from "../state/source.ts";
import { DAYS, type Total, totalUsage } from "../state/usage-totals.ts";
import { formatCost, formatCount, plural } from "../text/format.ts";
import { useApp } from "./context.ts";

/** Tokens and cost by day, runtime and project. */
export function UsageView() {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const { days, runtimes, projects, all } = useMemo(
    () =>
      totalUsage(
        [...entries.values()].map(({ info }) => info),
        app.now.get(),
      ),
    [entries, app],
  );
  return (
    <div class="view">
      <header class="view-header">
        <a class="quiet icon back" href="#/" aria-label="All sessions">
          ←
        </a>
        <h1>Usage</h1>
      </header>
      <div class="view-body usage">
        <dl class="figures">
          <Figure name="Tokens" value={formatCount(all.tokens)} />
          <Figure name="Cost" value={formatCost(all.costUsd) || "—"} />
          <Figure name="Sessions" value={String(all.sessions)} />
        </dl>
        <section>
          <h2>Tokens per day, last {DAYS} days</h2>
          <DayChart days={days} />
        </section>
        <div class="columns">
          <section>
            <h2>By runtime</h2>
            <Bars totals={runtimes} />
          </section>
          <section>
            <h2>By project</h2>
            <Bars totals={projects} />
          </section>
        </div>
        <p class="note">
          Of the {plural(all.sessions, "session")} on the board. Cost is what the runtimes report.
        </p>
      </div>
    </div>
  );
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

function DayChart({ days }: { days: readonly Total[] }) {
  const most = Math.max(1, ...days.map(({ tokens }) => tokens));
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 20}`}
      role="img"
      aria-label={`Tokens per day, at most ${formatCount(most)}`}
    >
      {days.map(({ name, tokens, costUsd }, index) => {
        const height = tokens === 0 ? 1 : Math.max(3, (tokens / most) * HEIGHT);
        const cost = formatCost(costUsd);
        return (
          <g key={name}>
            <title>{`${name}: ${formatCount(tokens)} tokens${cost && `, ${cost}`}`}</title>
            <rect
              class={tokens === 0 ? "bar none" : "bar"}
              x={index * STEP + 4}
              width={STEP - 8}
              y={HEIGHT - height}
              height={height}
              rx={Math.min(3, height / 2)}
            />
            {index % 7 === (days.length - 1) % 7 && (
              <text x={index * STEP + STEP / 2} y={HEIGHT + 16} text-anchor="middle">
                {name.slice(5)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function Bars({ totals }: { totals: readonly Total[] }) {
  const most = Math.max(1, ...totals.map(({ tokens }) => tokens));
  if (totals.length === 0) return <p class="empty">Nothing yet.</p>;
  return (
    <ul class="bars">
      {totals.map(({ name, tokens, costUsd, sessions }) => (
        <li key={name} title={plural(sessions, "session")}>
          <span class="name">{name}</span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-track" width="100" height="4" rx="2" />
            <rect class="bar" width={(tokens / most) * 100} height="4" rx="2" />
          </svg>
          <span class="value">
            {formatCount(tokens)}
            {costUsd > 0 && <span class="faint"> {formatCost(costUsd)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
