import { count, share } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { icon } from '../../controls/icon.ts';
import { type Popover, popover } from '../../controls/popover.ts';
import { horizonOf } from '../../picture/columns.ts';
import { scaleWords } from '../../picture/scaleWords.ts';
import type { Highlight } from '../../session/highlight.ts';
import type { Scene } from '../scene/scene.ts';
import type { legend } from './legend.ts';

/** `2,048 operations`; with the number of those that the text at the cursor writes, `48 of 2,048 operations`. */
function operationsText(all: number, { written, tooMany }: Highlight): readonly [text: string, title: string] {
  const total = count(all, 'operation', 'operations');
  if (tooMany !== undefined) return [total, 'There are too many operations to outline the ones at the cursor.'];
  return written === undefined
    ? [total, '']
    : [
        `${written.count.toLocaleString('en-US')} of ${total}`,
        `The text at the cursor writes ${count(written.count, 'operation', 'operations')}.`,
      ];
}

/** The last line: legend, how much there is, how much of it is in sight, and help. */
export function statusLine(legendPanel: ReturnType<typeof legend>, help: () => void) {
  const operations = element('span', { class: 'operations' });
  const scaleParts = [
    element('span'),
    element('span', { class: 'of-scale' }),
    element('span', { class: 'more-scale' }),
  ];
  const scale = element('span', { class: 'scale', hidden: '' }, ...scaleParts);
  const zoom = element('span', { class: 'zoom' });
  const legendButton = element(
    'button',
    {
      type: 'button',
      class: 'legend-button',
      title: 'Legend (L)',
      'aria-haspopup': 'dialog',
      'aria-expanded': 'false',
    },
    icon('legend'),
    'Legend',
  );
  const helpButton = element(
    'button',
    { type: 'button', class: 'help-button', title: 'Keyboard shortcuts (?)', 'aria-label': 'Keyboard shortcuts' },
    '?',
  );
  const bar = element('footer', { class: 'status' }, legendButton, operations, scale, zoom, helpButton);
  let opened: Popover | undefined;

  function toggleLegend(): void {
    if (opened !== undefined) return opened.close();
    opened = popover(legendButton, 'Legend', legendPanel.open(), () => {
      opened = undefined;
      legendPanel.hide();
    });
  }
  legendButton.addEventListener('click', toggleLegend);
  helpButton.addEventListener('click', help);

  return {
    element: bar,
    toggleLegend,
    update(scene: Scene): void {
      const { view, picture, layout, highlight } = scene;
      legendPanel.moved(scene);
      const horizon = horizonOf(picture.columns);
      const repeats = picture.columns.period !== undefined;
      const part = (view.t1 - view.t0) / horizon;
      const [text, title] = operationsText(picture.report.operations, highlight);
      setText(operations, text);
      operations.title = title;
      const words = scaleWords(picture.columns, (view.t1 - view.t0) / layout.plot);
      scale.hidden = words.length === 0;
      scale.title = words.join('');
      scaleParts.forEach((part, index) => setText(part, words[index] ?? ''));
      setText(
        zoom,
        horizon > 0 && part < 1 - 1e-9
          ? `${share(part)} of ${repeats ? 'two iterations' : 'the iteration'}`
          : repeats
            ? 'two iterations'
            : 'whole iteration',
      );
    },
  };
}
