import { css } from './scene/colour.ts';
import { element } from '../controls/dom.ts';
import type { Layout } from './scene/layout.ts';
import { paintTimeline } from './paint/timeline.ts';
import { rowShape } from './scene/rowShape.ts';
import type { Scene } from './scene/scene.ts';
import type { Bounds, Viewport } from './scene/viewport.ts';
import type { DrawRequest, DrawnImage, Region } from '../worker/messages.ts';

/** CSS pixels of the notch of a backward. */
const notch = 7;

/** CSS pixels above and below the lane of all devices. */
const allMargin = 4;

/** Two canvases, one over the other: blocks as the worker drew them, and all that is painted over them. */
export function canvases() {
  const blocks = element('canvas', { 'aria-hidden': 'true' });
  const over = element('canvas', { class: 'over', role: 'img', 'aria-label': 'Timeline' });
  const box = element('div', { class: 'canvases' }, blocks, over);
  const blockInk = blocks.getContext('2d', { alpha: false });
  const overInk = over.getContext('2d');
  /** Buffers that came back from the worker, to be drawn into again. */
  const spare = new Map<Region, ArrayBuffer>();

  function resize(layout: Layout, dpr: number): void {
    for (const canvas of [blocks, over]) {
      const [width, height] = [Math.round(layout.width * dpr), Math.round(layout.height * dpr)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      canvas.style.width = `${layout.width}px`;
      canvas.style.height = `${layout.height}px`;
    }
  }

  return {
    element: box,
    surface: over,
    describe: (text: string) => over.setAttribute('aria-label', text),
    /** What the worker is to draw for a view. */
    requests(view: Viewport, bounds: Bounds, layout: Layout, dpr: number): DrawRequest[] {
      const width = Math.round(layout.plot * dpr);
      const { grouped, devices, mixed, legs } = layout.map;
      const shape = rowShape(view.rowHeight, mixed, legs);
      const shared = grouped === undefined ? {} : { spans: grouped.spans, folded: grouped.folded };
      const rows: DrawRequest = {
        region: 'rows',
        width,
        height: Math.round(layout.rows.height * dpr),
        bands: layout.memory.height > 0 ? Math.ceil(layout.plot) : undefined,
        buffer: taken(spare, 'rows'),
        view: {
          t0: view.t0,
          t1: view.t1,
          top: view.scroll * dpr,
          rowHeight: view.rowHeight * dpr,
          bandTop: shape.bandTop * dpr,
          bandHeight: shape.bandHeight * dpr,
          radius: shape.radius,
          notch: notch * dpr,
          dpr,
          ...shared,
        },
      };
      const height = Math.round(layout.overview.height * dpr);
      const rowHeight = height / Math.max(1, bounds.rows);
      const overview: DrawRequest = {
        region: 'overview',
        width,
        height,
        buffer: taken(spare, 'overview'),
        view: {
          t0: 0,
          t1: bounds.makespan,
          top: 0,
          rowHeight,
          bandTop: 0,
          bandHeight: rowHeight >= 4 ? rowHeight - 1 : rowHeight,
          radius: 0,
          notch: 0,
          dpr,
          ...shared,
        },
      };
      const all: DrawRequest = {
        region: 'all',
        width,
        height: Math.round(layout.all.height * dpr),
        buffer: taken(spare, 'all'),
        view: {
          t0: view.t0,
          t1: view.t1,
          top: 0,
          rowHeight: layout.all.height * dpr,
          bandTop: allMargin * dpr,
          bandHeight: (layout.all.height - 2 * allMargin) * dpr,
          radius: 0,
          notch: 0,
          dpr,
          spans: Int32Array.of(0, devices),
        },
      };
      return [rows, overview, all].filter((request) => request.width > 0 && request.height > 0);
    },
    /** Puts the worker's images in place; together with `paint`. */
    show(images: readonly DrawnImage[], scene: Scene): void {
      if (blockInk === null) return;
      const { layout, dpr, theme } = scene;
      resize(layout, dpr);
      blockInk.fillStyle = css(theme.background);
      blockInk.fillRect(0, 0, blocks.width, blocks.height);
      for (const { region, width, height, buffer } of images) {
        if (region === 'loupe') continue;
        const band = layout[region];
        const image = new ImageData(new Uint8ClampedArray(buffer), width, height);
        blockInk.putImageData(image, Math.round(layout.left * dpr), Math.round(band.y * dpr));
        spare.set(region, buffer);
      }
    },
    paint(scene: Scene): void {
      if (overInk !== null) paintTimeline(overInk, scene);
    },
  };
}

function taken(spare: Map<Region, ArrayBuffer>, region: Region): ArrayBuffer | undefined {
  const buffer = spare.get(region);
  spare.delete(region);
  return buffer;
}
