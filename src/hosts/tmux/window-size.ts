/** Wide enough for a long line, and high enough for a dialog with a diff in it. */
export const FULL = { width: 200, height: 50 };

/** A program that is made for people still shows its input line and its dialogs at this size. */
const LEAST = { width: 80, height: 24 };

/** Has the window take the size of a console that attaches. */
export function followConsoles(session: string): string[] {
  return ["set-hook", "-t", `=${session}:`, "client-attached", "set-option -w window-size latest"];
}

/**
 * Gives a window its full size if no console is attached and nobody has split it, and enlarges it while the pane is
 * smaller than the least size: then a small console shows a part of the window.
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
