import { useEffect, useState } from "preact/hooks";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { useApp } from "./context.ts";

/** Returns the models that a runtime offers, or an empty list while they are unknown. */
export function useModels(runtime: string | undefined): readonly ModelInfo[] {
  const app = useApp();
  const [models, setModels] = useState<readonly ModelInfo[]>([]);
  useEffect(() => {
    setModels([]);
    if (runtime === undefined) return;
    let isCurrent = true;
    app.modelsOf(runtime).then(
      (found) => isCurrent && setModels(found),
      () => {}, // ignored, because the list is optional; fails, for example, if the runtime is not signed in
    );
    return () => {
      isCurrent = false;
    };
  }, [app, runtime]);
  return models;
}
