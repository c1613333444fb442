import { useMemo, useRef, useState } from "preact/hooks";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { recentDirectories } from "../state/recent-directories.ts";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";
import { Dialog } from "./dialog.tsx";
import { policies } from "./settings-row.tsx";
import { useModels } from "./use-models.ts";

/** The shortcut that submits the form, as the button shows it. */
const sendKeys = /Mac|iP/.test(navigator.platform) ? "⌘↵" : "Ctrl ↵";

/** Shows the dialog that starts a session. Its fields include the task, directory, runtime, model and permissions. */
export function NewSessionDialog() {
  const app = useApp();
  const runtimes = useSource(app.runtimes);
  const entries = useSource(app.board.entries);
  const recent = useMemo(
    () => recentDirectories([...entries.values()].map(({ info }) => info)),
    [entries],
  );
  const usable = runtimes.filter(({ availability }) => availability.available);
  const [runtime, setRuntime] = useState<string>();
  const [policy, setPolicy] = useState<PermissionPolicy>("ask");
  const [error, setError] = useState("");
  const [isStarting, setStarting] = useState(false);
  const [hasWorktree, setWorktree] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const last = [...entries.values()].sort((a, b) =>
    b.info.createdAt.localeCompare(a.info.createdAt),
  )[0]?.info;
  const chosen =
    runtime ?? usable.find(({ name }) => name === last?.runtime)?.name ?? usable[0]?.name;
  const capabilities = runtimes.find(({ name }) => name === chosen)?.capabilities ?? [];
  const models = useModels(capabilities.includes("models") ? chosen : undefined);

  const start = async () => {
    if (!form.current) return;
    const read = (name: string) =>
      String(new FormData(form.current ?? undefined).get(name) ?? "").trim();
    const [cwd, name, model, prompt] = [read("cwd"), read("name"), read("model"), read("prompt")];
    const branch = read("branch");
    setStarting(true);
    setError("");
    try {
      const session = await app.api.start({
        cwd,
        permissions: policy,
        ...(chosen !== undefined && { runtime: chosen }),
        ...(name !== "" && { name }),
        ...(model !== "" && { model }),
        ...(read("plan") === "on" && { plan: true }),
        ...(read("worktree") === "on" && {
          worktree: branch === "" ? true : { branch },
        }),
        ...(prompt !== "" && { prompt }),
      });
      const { opened, openedAfter, ...info } = session;
      app.board.adopt([info]);
      app.dialog.set(undefined);
      app.go({ view: "session", id: session.id });
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause));
      setStarting(false);
    }
  };

  return (
    <Dialog title="New session">
      <form
        class="form"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          void start();
        }}
      >
        <label>
          Task
          <textarea name="prompt" rows={4} placeholder="What should the agent do?" autofocus />
        </label>
        <label>
          Directory
          <input
            name="cwd"
            required
            list="directories"
            placeholder="/home/me/project"
            defaultValue={last?.cwd ?? ""}
          />
          <datalist id="directories">
            {recent.map((path) => (
              <option key={path} value={path} />
            ))}
          </datalist>
        </label>
        <div class="columns">
          <label>
            Runtime
            <select
              value={chosen ?? ""}
              onChange={({ currentTarget }) => setRuntime(currentTarget.value)}
            >
              {runtimes.map(({ name, displayName, availability }) => (
                <option key={name} value={name} disabled={!availability.available}>
                  {displayName}
                  {availability.available ? "" : " (not available)"}
                </option>
              ))}
            </select>
          </label>
          <label>
            Model
            <input name="model" placeholder="Default" list="models" />
            <datalist id="models">
              {models.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </datalist>
          </label>
          <label>
            Permissions
            <select
              value={policy}
              onChange={({ currentTarget }) =>
                setPolicy(policies.find(([name]) => name === currentTarget.value)?.[0] ?? "ask")
              }
            >
              {policies.map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            Name
            <input name="name" placeholder="From the task" />
          </label>
        </div>
        <div class="checks">
          <label class="check-label">
            <input
              type="checkbox"
              name="worktree"
              checked={hasWorktree}
              onChange={({ currentTarget }) => setWorktree(currentTarget.checked)}
            />
            Own git worktree
          </label>
          {hasWorktree && (
            <input name="branch" aria-label="Branch" placeholder="New branch: halyard/…" />
          )}
          {capabilities.includes("plan") && (
            <label class="check-label">
              <input type="checkbox" name="plan" />
              Plan only, change nothing
            </label>
          )}
        </div>
        {error !== "" && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <div class="row end">
          <button type="button" class="quiet" onClick={() => app.dialog.set(undefined)}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isStarting}>
            {isStarting ? "Starting" : "Start"} <kbd>{sendKeys}</kbd>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
