import { element, setText } from '../../controls/dom.ts';
import { icon } from '../../controls/icon.ts';
import { button } from '../../controls/toolkit.ts';
import { gapBefore, microbatchOf, stageOf } from '../../picture/blocks.ts';
import { cardHeight } from './cardHeight.ts';
import { unaskedOperations } from '../../session/sensitivities.ts';
import type { Scene } from '../scene/scene.ts';
import { selectionDetails, selectionSummary } from './details.ts';
import { deviceTables } from './device.ts';
import { clearSwatch, paintPieceSwatch, paintSwatch } from './swatch.ts';

export interface DetailActions {
  /** Explains the selected gap, or the one that the selected block ends. */
  why(): void;
  /** Shows all blocks of a microbatch, and goes from one to the next. */
  follow(microbatch: number): void;
  /** Simulates a faster stage of the selected block. */
  faster(): void;
  /** Goes to the line that the selection comes from. */
  source(): void;
  /** The card was opened or closed. */
  turned(open: boolean): void;
  /** There is no text to go to. */
  readonly alone: boolean;
}

/** The selection in one line that is always there, and on a card that opens from it: nothing is said only on hover. */
export function detail(actions: DetailActions) {
  const swatch = element('i', { class: 'swatch' });
  const title = element('strong');
  const rest = element('span');
  const source = element(
    'button',
    { type: 'button', class: 'link source', title: 'Go to the line in the text' },
    'source',
  );
  source.addEventListener('click', actions.source);
  const why = button('Why here?', actions.why, 'Why here? (Y)').element;
  why.replaceChildren('Why', element('span', { class: 'here' }, ' here'), '?');
  const whyHere = button('Why here?', actions.why, 'Why here? (Y)').element;
  let microbatch = -1;
  const follow = button('', () => actions.follow(microbatch));
  const faster = button('10 % faster?', actions.faster, 'What if this stage were 10 % faster?').element;
  const line = element('div', { class: 'content' }, swatch, title, rest, source, why);
  const chevron = element('button', { type: 'button', class: 'icon', 'aria-expanded': 'false' });
  const summary = element('div', { class: 'summary' }, line, chevron);
  const facts = element('div', { class: 'facts' });
  const buttons = element('div', { class: 'card-actions' }, whyHere, follow.element, faster);
  const card = element('div', { class: 'card', tabindex: '0', role: 'group', 'aria-label': 'Details', hidden: '' });
  card.append(facts, buttons);
  const bar = element('section', { class: 'detail', 'aria-label': 'Selection' }, summary, card);
  const height = cardHeight(bar, card, pairs, buttons);
  let spoken = '';
  let newest: Scene | undefined;
  let shown = '';

  function setOpen(open: boolean): void {
    card.hidden = !open;
    chevron.replaceChildren(icon(open ? 'down' : 'up'));
    chevron.setAttribute('aria-expanded', String(open));
    chevron.setAttribute('aria-label', open ? 'Close the details' : 'Open the details');
    chevron.title = open ? 'Close the details' : 'Open the details (Enter)';
    if (open && newest !== undefined) fill(newest);
    else height.forget();
  }
  const turn = (open: boolean): void => {
    setOpen(open);
    actions.turned(open);
  };
  chevron.addEventListener('click', () => turn(card.hidden === true));
  setOpen(false);

  function fill(scene: Scene): void {
    const { selection, plan, picture } = scene;
    const device = selection?.kind === 'device' ? selection.device : undefined;
    facts.replaceChildren(...pairs(scene), ...(device === undefined ? [] : deviceTables(scene, device)));
    const stage = selection?.kind === 'block' ? stageOf(picture, selection.block) : -1;
    const unknown = stage >= 0 && scene.sensitivity(stage) === undefined;
    faster.hidden = !unknown || picture.report.operations <= unaskedOperations;
    // A gap has it in the line above.
    whyHere.hidden = selection?.kind === 'gap' || !isExplained(scene);
    microbatch = selection?.kind === 'block' ? microbatchOf(picture, selection.block) : -1;
    follow.element.hidden = microbatch < 0;
    follow.setValue(`Follow microbatch ${microbatch}`);
    buttons.hidden = selection === undefined;
    height.update(scene);
    const key = `${plan.name} ${JSON.stringify(selection)}`;
    if (key !== shown) card.scrollTop = 0;
    shown = key;
  }

  function update(scene: Scene): void {
    newest = scene;
    const details = selectionDetails(scene);
    const short = selectionSummary(scene);
    spoken =
      details === undefined
        ? ''
        : [details.title, ...details.lines.map(([label, value]) => `${label} ${value}`)].join(', ');
    swatch.hidden = details === undefined || scene.selection?.kind === 'device';
    swatch.classList.toggle('idle', details?.kind === undefined);
    if (scene.selection?.kind === 'piece') paintPieceSwatch(swatch, scene, scene.selection.piece);
    else if (details?.kind === undefined) clearSwatch(swatch);
    else paintSwatch(swatch, scene.theme, details.kind, details.marks ?? 0);
    source.hidden = details === undefined || actions.alone;
    why.hidden = scene.selection?.kind !== 'gap';
    setText(title, short?.title ?? '');
    // Names may be longer than the line.
    title.title = short?.title ?? '';
    setText(rest, short?.rest.map((part) => ` · ${part}`).join('') ?? 'Click a block to see its figures.');
    line.classList.toggle('dim', details === undefined);
    if (!card.hidden) fill(scene);
  }

  return {
    element: bar,
    update,
    /** As it is read out. */
    text: () => spoken,
    isOpen: (): boolean => !card.hidden,
    open: () => turn(true),
    /** Closed, as it was before something else took its room, or open again. */
    setOpen,
    /** Buttons under the facts of what is selected: features add theirs. */
    buttons,
  };
}

/** Whether the selection is idle time, or ends it. */
const isExplained = ({ selection, picture }: Scene): boolean =>
  selection?.kind === 'gap' || (selection?.kind === 'block' && gapBefore(picture, selection.block) !== undefined);

function pairs(scene: Scene): readonly HTMLElement[] {
  const details = selectionDetails(scene);
  if (details === undefined) return [element('p', { class: 'dim' }, 'Nothing is selected.')];
  const list = element('dl', { class: 'pairs' });
  for (const [label, value] of details.lines)
    list.append(element('div', { class: 'pair' }, element('dt', { class: 'dim' }, label), element('dd', {}, value)));
  // The line above has just said it.
  return scene.selection?.kind === 'gap' ? [list] : [element('strong', {}, details.title), list];
}
