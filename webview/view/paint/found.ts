import { type Hits, hitColumns } from '../../picture/hitColumns.ts';
import type { RowMap } from '../scene/rowMap.ts';
import { rowShape } from '../scene/rowShape.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, clipped } from './canvas.ts';
import { pieceBoxes } from './pieceBoxes.ts';

/** How much of all else stays to be seen while a search has hits. */
const rest = 0.25;
const restInHighContrast = 0.6;

let drawn: { readonly key: string; readonly map: RowMap; readonly found: Int32Array; readonly hits: Hits } | undefined;

/** Fades everything but the blocks that a search found, or that have moved; where many blocks share a pixel, all but the columns that hold a hit. */
export function paintFound(ink: Ink, scene: Scene): void {
  const { layout, theme, view } = scene;
  const found = scene.found.length > 0 ? scene.found : scene.moved;
  if (found.length === 0) return;
  const { rows } = layout;
  const { y, height } = rows;
  const hits = hitsOf({ ...scene, found });
  clipped(ink, layout.left, y, layout.plot, height, () => {
    ink.fillStyle = css(theme.background, 1 - (theme.highContrast ? restInHighContrast : rest));
    ink.beginPath();
    ink.rect(layout.left, y, layout.plot, height);
    const { bandTop, bandHeight } = rowShape(view.rowHeight, layout.map.mixed, layout.map.legs);
    for (let at = 0; at < hits.count; at += 1) {
      const top = y + hits.row[at] * view.rowHeight - view.scroll + bandTop;
      ink.rect(layout.left + hits.left[at], top, hits.right[at] - hits.left[at], Math.max(1, bandHeight));
    }
    const { foundLayer } = scene;
    if (foundLayer !== undefined)
      for (const box of pieceBoxes(scene, (lane, tensor) => lane.tensors[tensor].layer === foundLayer))
        ink.rect(box.left, box.top, box.width, box.height);
    ink.fill('evenodd');
  });
}

/** Found anew only when view or hits change: the pointer moves far more often. */
function hitsOf({ found, picture, view, layout }: Scene): Hits {
  const { t0, t1, scroll, rowHeight } = view;
  const key = [picture.generation, t0, t1, scroll, rowHeight, layout.plot, layout.rows.height].join();
  if (drawn?.key === key && drawn.found === found && drawn.map === layout.map) return drawn.hits;
  const hits = hitColumns(picture.columns, found, {
    t0,
    t1,
    width: layout.plot,
    firstRow: Math.max(0, Math.floor(scroll / rowHeight)),
    lastRow: Math.min(layout.map.rows - 1, Math.ceil((scroll + layout.rows.height) / rowHeight) - 1),
    spans: layout.map.grouped?.spans,
    rowsPerPixel: Math.max(1, Math.floor(1 / rowHeight)),
  });
  drawn = { key, map: layout.map, found, hits };
  return hits;
}
