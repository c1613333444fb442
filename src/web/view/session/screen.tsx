import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionScreen } from "../../../schema/page/screen.ts";
import { type AnsiStyle, parseAnsi } from "../../text/ansi.ts";
import { cleanText } from "../../text/clean.ts";
import { CopyButton } from "../content/code.tsx";
import { useApp } from "../context.ts";

/** The delays between two updates, in milliseconds: while the screen changes, and while it does not. */
const BUSY_MS = 300;
const QUIET_MS = 1500;

/** The minimum width for scaling, in columns, so that a narrow screen's text is not too large. */
const LEAST_COLUMNS = 80;

/** Shows a session's tmux screen, read-only. tmux interprets the program's output, and the page shows the result. */
export function ScreenView({ id }: { id: string }) {
  const { screen, problem } = useScreen(id);
  const lines = useMemo(() => parseAnsi(screen?.lines ?? []), [screen]);
  const place = useRef<HTMLDivElement>(null);
  const widths = lines.map((parts) => parts.reduce((sum, { text }) => sum + text.length, 0));
  const columns = Math.max(LEAST_COLUMNS, ...widths);
  useEffect(() => {
    const { style } = place.current ?? {};
    style?.setProperty("--columns", String(columns));
    style?.setProperty("--row", String(screen?.cursor.row ?? 0));
    style?.setProperty("--column", String(screen?.cursor.column ?? 0));
  }, [columns, screen]);
  return (
    <div class="screen-place">
      {problem !== undefined && <p class="problem">{problem}</p>}
      <section class="screen" aria-label="Screen" ref={place}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area needs the focus for the arrow keys */}
        <pre tabIndex={0}>
          {lines.map((parts, row) => (
            <div key={row}>
              {parts.map(({ text, style }) => (
                <span class={classOf(style)} style={cssOf(style)}>
                  {text}
                </span>
              ))}
            </div>
          ))}
          {screen && problem === undefined && <i class="screen-cursor" aria-hidden="true" />}
        </pre>
      </section>
      {screen && (
        <footer class="screen-note">
          <span class="words">{cleanText(screen.title)}</span>
          <code>{screen.viewCommand.join(" ")}</code>
          <CopyButton text={screen.viewCommand.join(" ")} label="Copy the command" />
        </footer>
      )}
    </div>
  );
}

function useScreen(id: string) {
  const app = useApp();
  const [screen, setScreen] = useState<SessionScreen>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout>;
    let last = "";
    const look = async () => {
      let pause = QUIET_MS;
      try {
        if (!document.hidden) {
          const seen = await app.api.screen(id);
          const text = JSON.stringify(seen);
          pause = text === last ? QUIET_MS : BUSY_MS;
          if (isCurrent && text !== last) setScreen(seen);
          last = text;
        }
        if (isCurrent) setProblem(undefined);
      } catch (error) {
        if (isCurrent) setProblem(error instanceof Error ? error.message : String(error));
      }
      if (isCurrent) timer = setTimeout(() => void look(), pause);
    };
    void look();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [app, id]);
  return { screen, problem };
}

function classOf({ isBold, isDim, isItalic, isUnderlined }: AnsiStyle): string | undefined {
  const names = [
    isBold && "bold",
    isDim && "dim",
    isItalic && "italic",
    isUnderlined && "underlined",
  ].filter(Boolean);
  return names.length > 0 ? names.join(" ") : undefined;
}

/** Returns a style's CSS. Preact sets it as element properties, which the content security policy allows. */
function cssOf({ color, background, isInverse }: AnsiStyle) {
  if (!isInverse) return { color, backgroundColor: background };
  return { color: background ?? "var(--screen)", backgroundColor: color ?? "var(--screen-text)" };
}
