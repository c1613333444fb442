import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns a component whose code is loaded when it is shown for the first time. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return (props: Props) => {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>();
    const [error, setError] = useState<string>();
    useEffect(() => {
      load().then(
        (component) => setLoaded(() => component),
        (cause) => setError(String(cause)),
      );
    }, []);
    if (error !== undefined)
      return <p class="empty">This part could not be loaded. Reload the page. ({error})</p>;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
