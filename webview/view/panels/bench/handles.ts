/** Rows of devices with the operations of one microbatch as handles. The next microbatches are behind them, paler. */
import { list } from '../../../../engine/basics/quantities.ts';
import { element } from '../../../controls/dom.ts';
import type { ShownSchedule } from '../../../session/fileNames.ts';

type Block = NonNullable<ShownSchedule['block']>;
type Operation = Block['operations'][number];

export interface HandleActions {
  /** An operation is held over a slot. `alone`: only its stage is to move. */
  move(operation: Operation, slot: number, alone: boolean): void;
  release(): void;
  cancel(): void;
  /** Slot of the operation that is held; undefined while none is. */
  target(): number | undefined;
}

export interface Held {
  readonly operation: Operation;
  readonly slot: number;
  /** Stages whose operations of that kind move with it, though the block on show does not have them there. */
  readonly stages: readonly number[];
}

/** Pixels of a slot. */
const width = 26;
/** Microbatches behind the first that are drawn. */
const copies = 3;

/** Slots of the operations. The held one, and what moves with it, have the slots at which they are held. */
const slotsOf = ({ operations }: Block, held: Held | undefined): readonly number[] =>
  operations.map(({ kind, stage, slot }) => {
    if (held === undefined || kind !== held.operation.kind) return slot;
    if (stage === held.operation.stage) return held.slot;
    return held.stages.includes(stage) ? slot + held.slot - held.operation.slot : slot;
  });

/** For each operation, the other ones of its device whose slots are equal modulo the period. */
function clashes({ operations, period }: Block, slots: readonly number[]): readonly (readonly string[])[] {
  return operations.map(({ device }, index) =>
    operations.flatMap((other, at) =>
      at !== index && other.device === device && (slots[at] - slots[index]) % period === 0 ? [keyOf(other)] : [],
    ),
  );
}

const keyOf = ({ kind, stage }: Pick<Operation, 'kind' | 'stage'>): string => `${stage}${kind}`;

export function handles(actions: HandleActions) {
  const rows = element('div', { class: 'stamp-rows', role: 'group', 'aria-label': 'Building block, one microbatch' });
  const made = new Map<string, HTMLButtonElement>();
  let drawn = '';
  let block: Block | undefined;
  let tracks: readonly HTMLElement[] = [];

  const operationOf = (key: string | undefined): Operation | undefined =>
    block?.operations.find((operation) => keyOf(operation) === key);
  const ofButton = (button: HTMLElement): Operation | undefined => operationOf(button.dataset.operation);

  function build({ devices, operations }: Block): void {
    made.clear();
    tracks = Array.from({ length: devices }, () => element('div', { class: 'stamp-track' }));
    rows.replaceChildren(
      ...tracks.map((track, device) =>
        element('div', { class: 'stamp-row' }, element('span', { class: 'dim' }, `dev ${device}`), track),
      ),
    );
    for (const operation of operations) {
      const button = element('button', { type: 'button', class: 'stamp-handle', tabindex: '-1' }, keyOf(operation));
      button.dataset.operation = keyOf(operation);
      button.dataset.kind = operation.kind;
      listen(button);
      made.set(keyOf(operation), button);
      tracks[operation.device]?.append(button);
    }
    const [first] = made.values();
    if (first !== undefined) first.tabIndex = 0;
  }

  function listen(button: HTMLButtonElement): void {
    let grip: { readonly x: number; readonly slot: number } | undefined;
    button.addEventListener('pointerdown', (event) => {
      const operation = ofButton(button);
      if (event.button !== 0 || operation === undefined) return;
      button.setPointerCapture(event.pointerId);
      focus(button);
      grip = { x: event.clientX, slot: operation.slot };
    });
    button.addEventListener('pointermove', (event) => {
      const operation = ofButton(button);
      if (grip === undefined || operation === undefined) return;
      const slot = grip.slot + Math.round((event.clientX - grip.x) / width);
      if (slot !== grip.slot || actions.target() !== undefined) actions.move(operation, slot, event.shiftKey);
    });
    button.addEventListener('pointerup', () => {
      grip = undefined;
      actions.release();
    });
    button.addEventListener('pointercancel', () => {
      grip = undefined;
      actions.cancel();
    });
    button.addEventListener('blur', () => actions.cancel());
    button.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const operation = ofButton(button);
      const target = actions.target();
      if (operation === undefined) return;
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        const by = event.key === 'ArrowLeft' ? -1 : 1;
        actions.move(operation, (target ?? operation.slot) + by, event.shiftKey);
      } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
        if (target === undefined) step(button, event.key === 'ArrowUp' ? -1 : 1);
      } else if (event.key === 'Enter' && target !== undefined) actions.release();
      else if (event.key === 'Escape' && target !== undefined) actions.cancel();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  function step(from: HTMLButtonElement, by: number): void {
    const all = [...made.values()];
    const next = all[all.indexOf(from) + by];
    if (next !== undefined) focus(next);
  }

  function focus(button: HTMLButtonElement): void {
    for (const other of made.values()) other.tabIndex = other === button ? 0 : -1;
    button.focus();
  }

  return {
    element: rows,
    /** `wrong`: the block cannot be so. Operations that clash are marked then: until that is known, not all may be at their new place. */
    update(next: Block, held: Held | undefined, wrong: boolean): void {
      block = next;
      const shape = JSON.stringify([
        next.devices,
        next.operations.map(({ kind, stage, device }) => [kind, stage, device]),
      ]);
      if (shape !== drawn) build(next);
      drawn = shape;
      const slots = slotsOf(next, held);
      const clashing = wrong ? clashes(next, slots) : [];
      const latest = Math.max(0, ...slots);
      const length = latest + 1 + copies * next.period;
      for (const track of tracks) {
        track.style.width = `${length * width}px`;
        track.style.setProperty('--period', `${next.period * width}px`);
        for (const ghost of track.querySelectorAll('.stamp-ghost')) ghost.remove();
      }
      for (const [index, operation] of next.operations.entries()) {
        const key = keyOf(operation);
        const isHeld = held !== undefined && keyOf(held.operation) === key;
        const slot = slots[index];
        const others = clashing[index] ?? [];
        const button = made.get(key);
        if (button === undefined) continue;
        button.style.left = `${slot * width}px`;
        button.classList.toggle('held', isHeld);
        button.classList.toggle('wrong', wrong && (isHeld || others.length > 0));
        const clash = others.length === 0 ? '' : `, the slot of ${list(others)} modulo the period`;
        const cannot = wrong && isHeld && clash === '' ? ', cannot be' : clash;
        button.setAttribute(
          'aria-label',
          `${key}, ${operation.kind} of stage ${operation.stage}, slot ${slot}${cannot}`,
        );
        button.title = `${operation.kind} of stage ${operation.stage}: slot ${slot}${clash}`;
        for (let copy = 1; copy <= copies; copy += 1) {
          const ghost = element('i', { class: 'stamp-ghost', 'aria-hidden': 'true' });
          ghost.dataset.kind = operation.kind;
          ghost.classList.toggle('wrong', others.length > 0);
          ghost.style.left = `${(slot + copy * next.period) * width}px`;
          tracks[operation.device]?.append(ghost);
        }
      }
    },
  };
}
