// Keyboard rows of a small list: the list has `data-rows`, each row `data-row`.

export function rowsOf(list: ParentNode): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[data-row]')];
}

export function focusRow(list: ParentNode, index: number): void {
  const rows = rowsOf(list);
  const row = rows[Math.min(Math.max(0, index), rows.length - 1)];
  (row ?? document.getElementById('main'))?.focus();
}
