import { useEffect, useState } from "preact/hooks";
import type { Explanation } from "../../schema/page/explanation.ts";
import type { RuntimeInfo } from "../../schema/runtimes/runtime-info.ts";
import { recentDirectories } from "../state/recent-directories.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";
import { AccessSettings } from "./settings-access.tsx";
import { ViewHeader } from "./view-header.tsx";

/**
 * Shows the settings for a new session with the source of each, the runtimes, and the links and browsers with access.
 * Settings are read-only on the page.
 */
export function SettingsView() {
  const app = useApp();
  const runtimes = useSource(app.runtimes);
  const [version, setVersion] = useState<string>();
  useEffect(() => {
    app.api.health().then(
      (report) => setVersion(report.version),
      (error) => app.fail(error),
    );
  }, [app]);
  return (
    <div class="view">
      <ViewHeader title="Settings" />
      <div class="view-body settings">
        <SessionSettings runtimes={runtimes} />
        <section>
          <h2>Runtimes</h2>
          <ul class="rows">
            {[...runtimes]
              .sort((a, b) => Number(b.availability.available) - Number(a.availability.available))
              .map((runtime) => (
                <RuntimeRow key={runtime.name} runtime={runtime} />
              ))}
          </ul>
        </section>
        <AccessSettings />
        <p class="note">
          {version !== undefined && `Halyard ${version}. `}
          Settings are stored in files: <code>halyard.json</code> in a project,{" "}
          <code>config.json</code> in Halyard's home. Run <code>halyard explain</code> to print the
          same list.
        </p>
      </div>
    </div>
  );
}

/** Shows the settings for a new session in a directory, with the source of each. */
function SessionSettings({ runtimes }: { runtimes: readonly RuntimeInfo[] }) {
  const app = useApp();
  const entries = useSource(app.board.entries);
  const recent = recentDirectories([...entries.values()].map(({ info }) => info));
  const [chosen, setChosen] = useState<string>();
  const [runtime, setRuntime] = useState("");
  const [explanation, setExplanation] = useState<Explanation>();
  const [problem, setProblem] = useState<string>();
  const cwd = chosen ?? recent[0] ?? "/";
  useEffect(() => {
    let isCurrent = true;
    app.api.explain({ cwd, ...(runtime !== "" && { runtime }) }).then(
      (found) => {
        if (!isCurrent) return;
        setExplanation(found);
        setProblem(undefined);
      },
      (error) => isCurrent && setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [app, cwd, runtime]);
  return (
    <section>
      <h2>Settings for a new session</h2>
      <div class="settings-choice">
        <input
          aria-label="Directory"
          list="settings-directories"
          defaultValue={cwd}
          key={recent[0]}
          spellcheck={false}
          onChange={({ currentTarget }) => setChosen(currentTarget.value.trim() || undefined)}
        />
        <datalist id="settings-directories">
          {recent.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
        <select
          aria-label="Runtime"
          value={runtime}
          onChange={({ currentTarget }) => setRuntime(currentTarget.value)}
        >
          <option value="">As configured</option>
          {runtimes.map(({ name, displayName }) => (
            <option key={name} value={name}>
              {displayName}
            </option>
          ))}
        </select>
      </div>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {explanation && problem === undefined && <Explained explanation={explanation} />}
    </section>
  );
}

function Explained({ explanation }: { explanation: Explanation }) {
  const { settings, steps, warnings, trusted } = explanation;
  return (
    <>
      <table class="explained">
        <thead>
          <tr>
            <th>Setting</th>
            <th>Value</th>
            <th>Decided by</th>
          </tr>
        </thead>
        <tbody>
          {settings.map(({ setting, value, by }) => (
            <tr key={setting}>
              <th scope="row">{setting}</th>
              <td>{value}</td>
              <td class="by">{by}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">trust</th>
            <td>{trusted ? "trusted" : "not trusted"}</td>
            <td class="by">
              {trusted ? "halyard trust" : "the directory's hooks and permission lists are ignored"}
            </td>
          </tr>
        </tbody>
      </table>
      {warnings.map((warning) => (
        <p key={warning} class="note warning">
          {warning}
        </p>
      ))}
      <details class="fold">
        <summary>All sources for the runtime</summary>
        <ol class="steps">
          {steps.map(({ source, file, key, runtime, decided, reason }) => (
            <li key={source} class={decided ? "decided" : undefined}>
              <span class="source">{source}</span>
              <span>{runtime ?? "—"}</span>
              <span class="by">{file === undefined ? reason : `${file}: ${key} · ${reason}`}</span>
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

function RuntimeRow({ runtime }: { runtime: RuntimeInfo }) {
  const { displayName, name, availability, capabilities } = runtime;
  return (
    <li class="setting-row">
      <i
        class={`state ${availability.available ? "idle" : "ended"}`}
        role="img"
        aria-label={availability.available ? "Available" : "Not available"}
      />
      <span class="name">
        {displayName} <span class="faint">{name}</span>
      </span>
      <span class="by">
        {availability.available ? (availability.version ?? "available") : availability.reason}
      </span>
      {availability.available && <span class="faint capabilities">{capabilities.join(", ")}</span>}
    </li>
  );
}
