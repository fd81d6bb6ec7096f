import type { Preview } from './harness.ts';

/** Controls in sight that something lies over, or that are cut off at their middle. Those outside a scrolled area are out of sight. */
export const covered = ({ page }: Preview): Promise<readonly string[]> =>
  page.evaluate(() => {
    const controls = 'button, a[href], input, select, vscode-button, vscode-dropdown, vscode-option, [role="switch"]';
    const bad: string[] = [];
    const name = (node: Element) =>
      `${node.tagName.toLowerCase()}.${node.className} ${node.getAttribute('aria-label') ?? node.textContent}`;
    // What is open over the page makes all else inert for the moment.
    const over = document.querySelector('dialog[open]') ?? document.querySelector('.popover');
    for (const node of (over ?? document).querySelectorAll<HTMLElement>(controls)) {
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || node.closest('.unseen, .grid'))
        continue;
      if (node.matches(':disabled')) continue;
      const { left, top, width, height } = node.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      if (width === 0 || height === 0) continue;
      let scrolled = false;
      for (let box = node.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box);
        const edges = box.getBoundingClientRect();
        const scrolls = (value: string) => value === 'auto' || value === 'scroll';
        if (scrolls(overflowY) && (y < edges.top || y >= edges.bottom)) scrolled = true;
        if (scrolls(overflowX) && (x < edges.left || x >= edges.right)) scrolled = true;
      }
      if (scrolled) continue;
      const hit = document.elementFromPoint(x, y);
      if (hit === null || !(node.contains(hit) || (hit.contains(node) && hit.tagName === 'LABEL')))
        bad.push(`${name(node)}: ${hit === null ? 'off the page' : name(hit)}`);
    }
    return bad;
  });
