import { useEffect } from "preact/hooks";
import { useSource } from "../state/source.ts";
import { useApp } from "./context.ts";

/** Shows a short message. Hides the message after 4 s, unless it is an error. */
export function ToastView() {
  const { toast } = useApp();
  const shown = useSource(toast);
  useEffect(() => {
    if (!shown || shown.isError) return;
    const timer = setTimeout(() => toast.set(undefined), 4000);
    return () => clearTimeout(timer);
  }, [shown, toast]);
  return (
    <div class="toast-place" role="status" aria-live="polite">
      {shown && (
        <div class={shown.isError ? "toast error" : "toast"}>
          <span>{shown.text}</span>
          <button type="button" class="quiet" onClick={() => toast.set(undefined)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
