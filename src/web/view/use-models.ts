import { useEffect, useState } from "preact/hooks";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { useApp } from "./context.ts";

/** Returns the models that a runtime offers, if they are known. The input field accepts any name. */
export function useModels(runtime: string | undefined): readonly ModelInfo[] {
  const app = useApp();
  const [models, setModels] = useState<readonly ModelInfo[]>([]);
  useEffect(() => {
    setModels([]);
    if (runtime === undefined) return;
    let isCurrent = true;
    app.modelsOf(runtime).then(
      (found) => isCurrent && setModels(found),
      () => {}, // fails, for example, if the runtime is not signed in
    );
    return () => {
      isCurrent = false;
    };
  }, [app, runtime]);
  return models;
}
