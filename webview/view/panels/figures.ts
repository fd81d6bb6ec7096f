import type { JobReport } from '../../../engine/values/jobReport.ts';
import { element, setShare } from '../../controls/dom.ts';
import { icon } from '../../controls/icon.ts';
import { popover, type Popover } from '../../controls/popover.ts';
import { type Figure, changeOf, figuresOf, withoutUnit } from '../../session/figures.ts';
import { throughputNote } from '../../session/perSample.ts';
import type { ShownTimeline } from '../../session/shownTimeline.ts';
import { css } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';
import { kindWeight } from '../../picture/columns.ts';
import { busyTime } from './busyTime.ts';
import { violinOf } from '../../session/violin.ts';
import { figureList } from './figureList.ts';
import { gapLine } from './gapLine.ts';
import { violin } from './violin.ts';

/** Names in the line: the iteration needs none. */
const shortNames: Readonly<Record<Figure['key'], string>> = {
  iteration: '',
  p95: 'p95',
  bubble: 'bubble',
  peak: 'peak',
  staleness: 'staleness',
  exposed: 'exposed communication',
  gradients: 'waits for gradients',
  host: 'host memory',
  mfu: 'MFU',
  tokens: 'tokens/s per GPU',
  critical: '',
};

/** The main figures in one line. Each opens all of them. */
export function figures(openJob: (name: string) => void, findOrder?: () => void) {
  const line = element('div', { class: 'figure-line' });
  const chevron = element(
    'button',
    { type: 'button', class: 'icon', 'aria-label': 'All figures', title: 'All figures' },
    icon('down'),
  );
  const bar = element('section', { class: 'statistics', 'aria-label': 'Figures of the iteration' }, line, chevron);
  let now: { readonly timeline: ShownTimeline; readonly theme: Theme } | undefined;
  let base: ShownTimeline | undefined;
  let reports: readonly JobReport[] = [];
  let opened: Popover | undefined;

  function openAll(): void {
    if (opened !== undefined) return opened.close();
    if (now === undefined) return;
    const { timeline, theme } = now;
    const list = figureList(timeline, base, theme, reports, (name) => {
      opened?.close();
      openJob(name);
    });
    if (findOrder !== undefined) {
      const find = () => {
        opened?.close();
        findOrder();
      };
      list.append(...gapLine(timeline.picture.report, find));
    }
    opened = popover(chevron, 'Figures of the iteration', list, () => (opened = undefined));
  }
  chevron.setAttribute('aria-haspopup', 'dialog');
  chevron.setAttribute('aria-expanded', 'false');
  chevron.addEventListener('click', openAll);

  function cell(figure: Figure, before: Figure | undefined): HTMLElement {
    const { key, name, value, spread, unit, note, shortNote, over } = figure;
    const changed = before !== undefined && before.value !== value;
    // Where iterations overlap it is no iteration: its name is said.
    const short = key === 'iteration' && name === 'Period' ? 'period' : shortNames[key];
    const words = [short, `${changed ? `${withoutUnit(before.value, value)} > ` : ''}${value}`, '', ''];
    if (key === 'iteration' && now !== undefined && base !== undefined) {
      const resized = throughputNote(now.timeline.picture.report, base.picture.report);
      if (resized !== '') words[2] = ` ${resized}`;
    }
    if (spread !== '') words[2] = ` ${spread}${words[2]}`;
    if (key === 'bubble' || key === 'peak') {
      words[2] += ` ${shortNote === '' ? note : shortNote}`;
      words[3] = unit === '' ? '' : `, ${unit}`;
    }
    // What is seen is in the name, and more where there is no room for it.
    const seen = `${short === '' ? name : short} ${words.slice(1).join('')}`;
    const label = `${seen.charAt(0).toUpperCase()}${seen.slice(1)}${changed ? `, was ${before.value}` : ''}`;
    const made = element(
      'button',
      { type: 'button', class: `figure ${key}`, 'aria-label': label },
      ...(short === '' ? [] : [element('span', { class: 'dim' }, `${short} `)]),
      element('strong', { 'data-figure': key, class: changeOf(figure, before) }, words[1]),
      element('span', { class: 'note dim' }, words[2]),
      element('span', { class: 'more-note dim' }, words[3]),
    );
    const fill = element('i');
    const meter = element('div', { class: 'bar', 'aria-hidden': 'true' }, fill);
    const draws =
      key === 'p95' && now !== undefined ? violinOf(now.timeline.plan, now.timeline.picture.report) : undefined;
    if (draws !== undefined) made.append(violin(draws));
    if (key === 'iteration' && now !== undefined) busyTime(meter, now.timeline.picture, now.theme);
    else setShare(fill, figure.share);
    if (key !== 'p95') made.append(meter);
    made.classList.toggle('over', over);
    made.addEventListener('click', openAll);
    return made;
  }

  /** Drops notes, then figures, the last ones first, until the line fits. What the main figures are compared with goes last. */
  function fit(): void {
    const cells = Array.from(line.children) as HTMLElement[];
    for (const made of cells) made.classList.remove('gone', 'short', 'shorter');
    const last = cells.toReversed();
    const main = last.filter(({ classList }) => ['iteration', 'peak'].some((key) => classList.contains(key)));
    const others = last.filter((made) => !main.includes(made));
    const afterMain = others.filter((made) => cells.indexOf(made) > cells.indexOf(main[0]));
    const steps = [
      ...last.map((made) => [made, 'shorter'] as const),
      ...others.map((made) => [made, 'short'] as const),
      ...afterMain.map((made) => [made, 'gone'] as const),
      ...main.toReversed().map((made) => [made, 'short'] as const),
      ...cells
        .slice(1)
        .toReversed()
        .map((made) => [made, 'gone'] as const),
    ];
    for (const [made, word] of steps) {
      if (line.scrollWidth <= line.clientWidth) return;
      made.classList.add(word);
    }
  }
  new ResizeObserver(fit).observe(bar);

  function show(): void {
    if (now === undefined) return;
    const { plan, picture } = now.timeline;
    const before = new Map(base === undefined ? [] : figuresOf(base.plan, base.picture).map((was) => [was.key, was]));
    const shown = figuresOf(plan, picture).filter(({ key }) => key !== 'critical');
    const focused = line.contains(document.activeElement) ? document.activeElement?.className : undefined;
    line.replaceChildren(...shown.map((figure) => cell(figure, before.get(figure.key))), ...reports.map(jobCell));
    if (focused !== undefined)
      (Array.from(line.children).find(({ className }) => className === focused) as HTMLElement | undefined)?.focus();
    fit();
  }

  function jobCell({ name }: JobReport): HTMLElement {
    const made = element('button', { type: 'button', class: 'figure job' }, element('span', { class: 'dim' }, 'job '));
    made.append(element('strong', {}, name));
    made.addEventListener('click', openAll);
    return made;
  }

  return {
    element: bar,
    /** `baseline`: the timeline of the values in the file, while others are tried. */
    update(timeline: ShownTimeline, theme: Theme, baseline: ShownTimeline | undefined): void {
      now = { timeline, theme };
      base = baseline;
      bar.style.setProperty('--better', css(theme.kinds[kindWeight]));
      show();
    },
    showJobs(next: readonly JobReport[]): void {
      reports = next;
      show();
    },
    /** All figures, from a key or another button. */
    openAll,
  };
}
