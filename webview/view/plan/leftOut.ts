import type { LeftOut } from '../../../engine/sweep/space/choice.ts';
import { leftOutLines } from '../../../engine/sweep/space/leftOutLines.ts';
import { element, setText } from '../../controls/dom.ts';

/** What a search of usual values leaves out, in one line that opens to the reasons. */
export function leftOutLine() {
  const summary = element('summary');
  const reasons = element('ul');
  const box = element('details', { class: 'plan-left-out', hidden: '' }, summary, reasons);
  return {
    element: box,
    update(leftOut: readonly LeftOut[]): void {
      box.hidden = leftOut.length === 0;
      setText(summary, `Left out: ${leftOut.map(({ what }) => what).join(', ')}`);
      reasons.replaceChildren(...leftOutLines(leftOut).map((line) => element('li', {}, line)));
    },
  };
}
