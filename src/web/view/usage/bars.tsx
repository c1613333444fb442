import { describeUsage, type Metric, type UsageGroup } from "./metric.ts";

/** The maximum number of groups that are shown. */
const MOST_GROUPS = 10;

interface Props {
  readonly title: string;
  readonly metric: Metric;
  readonly groups: readonly UsageGroup[];
}

/** Shows groups with a bar each, the largest first. */
export function Bars({ title, metric, groups }: Props) {
  const sorted = [...groups].sort((a, b) => metric.valueOf(b) - metric.valueOf(a));
  const most = Math.max(1e-9, ...groups.map(metric.valueOf));
  return (
    <section>
      <h2>{title}</h2>
      {groups.length === 0 && <p class="note">Nothing yet.</p>}
      <ul class="bars">
        {sorted.slice(0, MOST_GROUPS).map((group) => (
          <li key={group.name} title={describeUsage(group)}>
            <span class="name">{group.name}</span>
            <span class="value">{metric.format(metric.valueOf(group))}</span>
            <Meter percent={(metric.valueOf(group) / most) * 100} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows a thin bar that is filled to a percentage. */
export function Meter({ percent, kind = "" }: { percent: number; kind?: string }) {
  return (
    <span class={`meter ${kind}`} aria-hidden="true">
      <i style={{ width: `${Math.min(100, percent)}%` }} />
    </span>
  );
}
