import { gapOf } from '../../../engine/analyze/expectations.ts';
import { bestWords, boundNote, boundOrders, withinWords } from '../../../engine/analyze/boundWithin.ts';
import { excludesSome, iterationTime, shareAtMost } from '../../../engine/basics/quantities.ts';
import type { ReportWithoutCauses } from '../../../engine/values/report.ts';
import { element } from '../../controls/dom.ts';

/** Rounding of a sum of times. */
const rounding = 1e-9;

/** How far the order is from the shortest there can be, and the way to the search for it. Empty if iterations have no end. */
export function gapLine(report: ReportWithoutCauses, find: () => void): readonly HTMLElement[] {
  if (report.asynchronous !== undefined || report.exchange?.barrier === false) return [];
  const gap = gapOf(report);
  const memory = withinWords(report);
  const within = memory === undefined ? '' : ` within ${memory}`;
  const words =
    gap < rounding
      ? `It is proven that no ${boundOrders(report)}${within} is shorter${boundNote(report)}.`
      : excludesSome(report.bubble.bound)
        ? `At most ${shareAtMost(gap)} above the least possible${within}${bestWords(report)} (${iterationTime(report.iteration / (1 + gap))}).`
        : '';
  const link = element('button', { type: 'button', class: 'link' }, 'Search for a shorter order');
  link.addEventListener('click', find);
  return [
    element(
      'section',
      { class: 'jobs', 'aria-label': 'Order' },
      element('p', {}, element('strong', {}, 'Order'), ` ${words} `, ...(gap < rounding ? [] : [link])),
    ),
  ];
}
