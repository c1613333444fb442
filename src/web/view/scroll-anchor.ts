/** Remembers which item is at which place, so that the same item stays there when others are added or removed above. */
export interface ScrollAnchor {
  restore(box: HTMLElement): void;
}

/** Returns the anchor of the first item that is in view. */
export function firstVisible(box: HTMLElement): ScrollAnchor | undefined {
  const { top } = box.getBoundingClientRect();
  const item = itemsOf(box)[indexAt(box, top)];
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

/** Returns the first events of the first and the last item in view. */
export function visibleRange(box: HTMLElement): readonly [number, number] {
  const { top, bottom } = box.getBoundingClientRect();
  const items = itemsOf(box);
  const seqAt = (index: number) =>
    Number(items[Math.min(index, items.length - 1)]?.dataset.seq ?? 0);
  return [seqAt(indexAt(box, top)), seqAt(indexAt(box, bottom))];
}

/** Returns the index of the first item that ends below a line of the screen. The items are in order. */
function indexAt(box: HTMLElement, y: number): number {
  const items = itemsOf(box);
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.getBoundingClientRect().bottom ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

function itemsOf(box: HTMLElement): readonly HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>("[data-item]")];
}
