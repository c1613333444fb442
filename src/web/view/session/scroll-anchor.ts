/** The visible position of an item. `restore` scrolls the item back to this position after items above it have changed. */
export interface ScrollAnchor {
  restore(box: HTMLElement): void;
}

/** The visible items in a transcript. */
export interface ItemsInView {
  /** The first item's anchor. */
  readonly anchor: ScrollAnchor | undefined;
  /** The `seq` of the first item's first event and of the last item's first event. */
  readonly range: readonly [number, number];
}

/** Returns the visible items. Uses a binary search, because it runs for each frame of a stream. */
export function itemsInView(box: HTMLElement): ItemsInView {
  const { top, bottom } = box.getBoundingClientRect();
  const items = [...box.querySelectorAll<HTMLElement>("[data-item]")];
  const first = indexAt(items, top);
  const last = Math.min(indexAt(items, bottom), items.length - 1);
  const seqAt = (index: number) => Number(items[index]?.dataset.seq ?? 0);
  return {
    anchor: anchorAt(items[first], top),
    range: [seqAt(Math.min(first, items.length - 1)), seqAt(last)],
  };
}

function anchorAt(item: HTMLElement | undefined, top: number): ScrollAnchor | undefined {
  const key = item?.dataset.item;
  if (!item || key === undefined) return undefined;
  const offset = item.getBoundingClientRect().top - top;
  return {
    restore(target) {
      const same = target.querySelector<HTMLElement>(`[data-item="${CSS.escape(key)}"]`);
      if (!same) return;
      const moved = same.getBoundingClientRect().top - target.getBoundingClientRect().top - offset;
      if (Math.abs(moved) >= 1) target.scrollTop += moved;
    },
  };
}

/** Returns the index of the first item that ends below a vertical position. The items must be in order. */
function indexAt(items: readonly HTMLElement[], y: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.getBoundingClientRect().bottom ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}
