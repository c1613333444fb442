import type { PermissionPolicy } from "../../schema/permission.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import type { Entry } from "../state/board.ts";
import { useApp } from "./context.ts";

/** The policies, the strictest first, with their names for display. */
export const policies: readonly (readonly [PermissionPolicy, string])[] = [
  ["ask", "Ask"],
  ["allow-edits", "Allow edits"],
  ["allow-all", "Allow all"],
  ["deny", "Deny"],
];

/** Settings that the runtime can change while it runs. */
export function SettingsRow({
  entry: { info },
  runtime,
}: {
  entry: Entry;
  runtime: RuntimeInfo | undefined;
}) {
  const app = useApp();
  const capabilities = runtime?.capabilities ?? [];
  if (!capabilities.includes("settings")) return null;
  return (
    <>
      <select
        aria-label="Permissions"
        value={info.permissions}
        onChange={({ currentTarget }) => {
          const policy = policies.find(([name]) => name === currentTarget.value)?.[0];
          if (policy) void app.attempt(() => app.api.update(info.id, { permissions: policy }));
        }}
      >
        {policies.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {capabilities.includes("plan") && (
        <label class="check-label">
          <input
            type="checkbox"
            checked={info.plan}
            onChange={({ currentTarget }) => {
              const plan = currentTarget.checked;
              void app.attempt(() => app.api.update(info.id, { plan }));
            }}
          />
          Plan
        </label>
      )}
    </>
  );
}
