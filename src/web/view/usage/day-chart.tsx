import { describeUsage, type Metric, type UsageGroup } from "./metric.ts";

/** Shows one bar per day. The line at the top marks the largest value. */
export function DayChart({ metric, days }: { metric: Metric; days: readonly UsageGroup[] }) {
  const most = Math.max(0, ...days.map(metric.valueOf));
  const largest = metric.format(most);
  return (
    <div class="chart" role="img" aria-label={`${metric.name} per day, at most ${largest}`}>
      <span class="chart-most">{largest}</span>
      <div class="chart-days">
        {days.map((day, index) => {
          const value = metric.valueOf(day);
          // One label per week, so that the labels fit on a phone. The last label is at yesterday's bar.
          const hasLabel = index > 0 && index % 7 === (days.length - 2) % 7;
          return (
            <div key={day.name} class="chart-day" title={describeUsage(day)}>
              <i
                class={value === 0 ? "bar none" : "bar"}
                style={{ height: value === 0 ? "1px" : `max(3px, ${(value / most) * 100}%)` }}
              />
              {hasLabel && <span class="chart-label">{day.name.slice(5)}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
