import { useState } from "preact/hooks";
import type { PermissionPolicy } from "../../schema/permission.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import type { SessionChanges } from "../../schema/session/session-changes.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Entry } from "../state/board.ts";
import { useApp } from "./context.ts";
import { useModels } from "./use-models.ts";

/** The policies with their display names, in the order in which the page offers them. */
export const policies: readonly (readonly [PermissionPolicy, string])[] = [
  ["ask", "Ask"],
  ["allow-edits", "Allow edits"],
  ["allow-all", "Allow all"],
  ["deny", "Deny"],
];

/** Shows the settings that the runtime can change while it runs. Shows nothing if the runtime cannot change settings. */
export function SettingsRow({
  entry: { info },
  runtime,
}: {
  entry: Entry;
  runtime: RuntimeInfo | undefined;
}) {
  const update = useUpdate(info);
  const capabilities = runtime?.capabilities ?? [];
  if (!capabilities.includes("settings")) return null;
  return (
    <>
      <select
        aria-label="Permissions"
        value={info.permissions}
        onChange={({ currentTarget }) => {
          const policy = policies.find(([name]) => name === currentTarget.value)?.[0];
          if (!policy) return;
          update({ permissions: policy }, () => {
            currentTarget.value = info.permissions;
          });
        }}
      >
        {policies.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {capabilities.includes("models") && <ModelSelect info={info} />}
      {capabilities.includes("plan") && (
        <label class="check-label">
          <input
            type="checkbox"
            checked={info.plan}
            onChange={({ currentTarget }) => {
              update({ plan: currentTarget.checked }, () => {
                currentTarget.checked = info.plan;
              });
            }}
          />
          Plan
        </label>
      )}
    </>
  );
}

/**
 * Returns a function that changes a session's settings. If the server rejects the change, the function resets the
 * control.
 */
function useUpdate({ id }: SessionInfo) {
  const app = useApp();
  return (changes: SessionChanges, reset: () => void): void => {
    void app
      .attempt(() => app.api.update(id, changes))
      .then((isUpdated) => {
        if (!isUpdated) reset();
      });
  };
}

/** Shows a session's model. Requests the other models when the pointer or the focus reaches the control. */
function ModelSelect({ info }: { info: SessionInfo }) {
  const update = useUpdate(info);
  const [isNear, setNear] = useState(false);
  const models = useModels(isNear ? info.runtime : undefined);
  const model = info.model?.id ?? models.find(({ isDefault }) => isDefault)?.id ?? "";
  const isListed = models.some(({ id }) => id === model);
  return (
    <select
      class="model"
      aria-label="Model"
      value={model}
      onPointerEnter={() => setNear(true)}
      onFocus={() => setNear(true)}
      onChange={({ currentTarget }) => {
        update({ model: currentTarget.value }, () => {
          currentTarget.value = model;
        });
      }}
    >
      {!isListed && <option value={model}>{model === "" ? "Default model" : model}</option>}
      {models.map(({ id, name = id }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
