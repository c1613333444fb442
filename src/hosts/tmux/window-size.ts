/** The size of a window without an attached console. Fits long lines and a dialog with a diff. */
export const FULL = { width: 200, height: 50 };

/** The minimum size at which interactive programs show their input line and dialogs. */
const LEAST = { width: 80, height: 24 };

/** Returns the command that makes a window follow a console's size after the console attaches. */
export function followConsoles(session: string): string[] {
  return ["set-hook", "-t", `=${session}:`, "client-attached", "set-option -w window-size latest"];
}

/**
 * Returns commands that restore the full size if no console is attached and the window is not split, and that enlarge
 * the window while the pane is smaller than the minimum. A small console then shows only a part of the window.
 */
export function fitWindow(pane: string): string[][] {
  const isAlone = "#{&&:#{==:#{session_attached},0},#{==:#{window_panes},1}}";
  const isFull = `#{==:#{window_width}x#{window_height},${FULL.width}x${FULL.height}}`;
  const isShrunk = `#{&&:${isAlone},#{!=:${isFull},1}}`;
  const isNarrow = `#{e|<|:#{pane_width},${LEAST.width}}`;
  const isLow = `#{e|<|:#{pane_height},${LEAST.height}}`;
  const resize = (way: string) => `resize-window -t ${pane} ${way}`;
  return [
    ["if-shell", "-F", "-t", pane, isShrunk, resize(`-x ${FULL.width} -y ${FULL.height}`)],
    ["if-shell", "-F", "-t", pane, isNarrow, resize(`-R ${LEAST.width}`)],
    ["if-shell", "-F", "-t", pane, isLow, resize(`-D ${LEAST.height}`)],
  ];
}
