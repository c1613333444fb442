import { useEffect, useState } from "preact/hooks";
import type { AccountLimits, LimitWindow } from "../../../schema/usage-limit.ts";
import { useSource } from "../../state/source.ts";
import { formatAge, formatLeft, formatResetTime } from "../../text/format.ts";
import { useApp } from "../context.ts";
import { Meter } from "./bars.tsx";

/** Shows the accounts' usage limits: how much of each window is used, and when it resets. */
export function LimitList() {
  const app = useApp();
  const now = useSource(app.now);
  const [accounts, setAccounts] = useState<readonly AccountLimits[]>([]);
  useEffect(() => {
    app.api.limits().then(setAccounts, (error) => app.fail(error));
  }, [app]);
  const shown = accounts.filter(({ windows }) => windows.length > 0);
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>Account limits</h2>
      <div class="columns">
        {shown.map((account) => (
          <div key={`${account.runtime} ${account.accountDir} ${account.endpoint}`}>
            <p class="account">
              {account.runtime}
              <span class="faint">
                {accountOf(account)} reported{" "}
                {formatAge(now - Date.parse(account.reportedAt)).replace(/^(?!now)(.*)$/, "$1 ago")}
              </span>
            </p>
            <ul class="bars">
              {account.windows.map((window) => (
                <WindowRow key={window.window} account={account} window={window} now={now} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}

interface RowProps {
  readonly account: AccountLimits;
  readonly window: LimitWindow;
  readonly now: number;
}

function WindowRow({
  account: { status },
  window: { window, usedPercent, resetsAt },
  now,
}: RowProps) {
  const leftMs = resetsAt === undefined ? undefined : Date.parse(resetsAt) - now;
  const hasReset = leftMs !== undefined && leftMs <= 0;
  const percent = hasReset ? 0 : (usedPercent ?? (status === "reached" ? 100 : 0));
  const kind = percent >= FULL ? "full" : percent >= HIGH ? "high" : "";
  return (
    <li>
      <span class="name">{nameOf(window)}</span>
      <span class="value">
        {hasReset ? "has reset" : usedOf(usedPercent, status)}
        {resetsAt !== undefined && leftMs !== undefined && !hasReset && (
          <span class="faint">
            {" "}
            resets {formatResetTime(resetsAt, now)}, in {formatLeft(leftMs)}
          </span>
        )}
      </span>
      <Meter percent={percent} kind={kind} />
    </li>
  );
}

/** The percentages at which a window is shown as almost used, and as used up. */
const HIGH = 80;
const FULL = 99.5;

function usedOf(percent: number | undefined, status: AccountLimits["status"]): string {
  if (percent !== undefined) return `${Math.round(percent)} %`;
  return status === "reached" ? "reached" : "—";
}

/** Returns a window's display name: `five_hour` and `5h` both become `5 hours`. */
function nameOf(window: string): string {
  const [, count, unit] = /^(\d+|five|seven)_?(h|hour|d|day)s?$/.exec(window) ?? [];
  if (count === undefined || unit === undefined) return window.replaceAll("_", " ");
  const number = count === "five" ? 5 : count === "seven" ? 7 : Number(count);
  return `${number} ${unit.startsWith("h") ? "hour" : "day"}${number === 1 ? "" : "s"}`;
}

function accountOf({ accountDir, endpoint }: AccountLimits): string {
  const name = accountDir ?? endpoint;
  return name === undefined ? "" : ` ${name},`;
}
