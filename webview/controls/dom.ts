/** Elements without markup: what a file says reaches the page as text only. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Sets text only where it differs: no layout work, no repeated announcement. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A share of 1 as the length of a bar (CSSOM, as inline styles are not allowed in markup). */
export function setShare(node: HTMLElement, share: number): void {
  node.style.setProperty('--share', String(Math.max(0, Math.min(1, share))));
}
