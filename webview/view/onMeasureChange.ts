/** Calls back when a part of the page has another size, or the screen other pixels (zoom, another monitor). */
export function onMeasureChange(part: HTMLElement, changed: () => void): void {
  new ResizeObserver(changed).observe(part);
  const watchScale = () =>
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      'change',
      () => {
        changed();
        watchScale();
      },
      { once: true },
    );
  watchScale();
}
