/** One microbatch of a building block as handles: dragging one, by pointer or keys, moves its slot. The others follow by the period. */
import { list } from '../../../../engine/basics/quantities.ts';
import { element, setText } from '../../../controls/dom.ts';
import type { ShownSchedule } from '../../../session/fileNames.ts';
import { handles } from './handles.ts';

type Block = NonNullable<ShownSchedule['block']>;
type Operation = Block['operations'][number];

export interface StampActions {
  moveSlot(
    request: number,
    move: { schedule: string; kind: string; stage: number; slot: number; alone: boolean },
  ): void;
  endMove(request: number, write: boolean): void;
}

/** What the extension answers to a move. */
export interface MovedSlot {
  readonly request: number;
  readonly text?: string | undefined;
  readonly stages: readonly number[];
  readonly problem?: string | undefined;
}

interface Move {
  readonly operation: Operation;
  readonly slot: number;
  readonly alone: boolean;
  readonly request: number;
  readonly answer?: MovedSlot;
  /** The reader let go before the answer came. */
  readonly released?: true;
}

const advice = 'Drag a block to another slot, or select one and press ← or →. With Shift only its stage moves.';
/** Numbers of questions of this panel; other questions have lower ones. */
const firstRequest = 2_000_000;

export function stamp(actions: StampActions) {
  const status = element('p', { class: 'stamp-status dim', role: 'status' }, advice);
  let schedule = '';
  let block: Block | undefined;
  /** The file's block has no order. */
  let hasProblem = false;
  let moving: Move | undefined;
  let request = firstRequest;

  const board = handles({
    move: (operation, slot, alone) => move(operation, slot, alone),
    release: () => release(),
    cancel: () => cancel(),
    target: () => moving?.slot,
  });
  const box = element('div', { class: 'stamp' }, board.element, status);

  function move(operation: Operation, wanted: number, alone: boolean): void {
    const slot = Math.max(0, wanted);
    if (moving !== undefined && moving.slot === slot && moving.alone === alone) return;
    request += 1;
    // Where the drag began, whatever has been shown meanwhile.
    const from = moving?.operation ?? operation;
    moving = { operation: from, slot, alone, request };
    actions.moveSlot(request, { schedule, kind: from.kind, stage: from.stage, slot, alone });
    show();
  }

  function release(): void {
    if (moving === undefined) return;
    if (moving.answer === undefined) moving = { ...moving, released: true };
    else end(moving.answer);
  }

  function end({ text, problem }: MovedSlot): void {
    const write = problem === undefined && text !== undefined;
    actions.endMove(request, write);
    moving = undefined;
    show();
    say(
      problem === undefined ? (text === undefined ? advice : `Written: ${text}`) : `Not written: ${problem}`,
      problem,
    );
  }

  function cancel(): void {
    if (moving === undefined) return;
    moving = undefined;
    actions.endMove(request, false);
    show();
    say(advice, undefined);
  }

  function say(text: string, problem: string | undefined): void {
    setText(status, text);
    status.classList.toggle('wrong', problem !== undefined);
  }

  function show(): void {
    if (block === undefined) return;
    const { answer } = moving ?? {};
    const isWrong = moving === undefined ? hasProblem : answer?.problem !== undefined;
    // Of a move that can be, the block on show has all operations at their new slots.
    const stages = isWrong ? (answer?.stages ?? []) : [];
    board.update(block, moving === undefined ? undefined : { ...moving, stages }, isWrong);
  }

  return {
    element: box,
    update({ name, block: next, problem }: Pick<ShownSchedule, 'name' | 'block' | 'problem'>): void {
      if (name !== schedule) moving = undefined;
      hasProblem = problem !== undefined;
      schedule = name;
      block = next;
      box.hidden = next === undefined;
      show();
    },
    /** The answer to a move. */
    moved(answer: MovedSlot): void {
      if (moving === undefined || answer.request !== moving.request) return;
      moving = { ...moving, answer };
      if (moving.released === true) return end(answer);
      show();
      const { text, stages, problem } = answer;
      if (problem !== undefined) say(`Cannot be: ${problem}`, problem);
      else if (text === undefined) say(advice, undefined);
      else
        say(
          `Writes ${text} and moves ${stagesText(stages, block)}. Release, or press Enter, to write it; Esc leaves it.`,
          undefined,
        );
    },
  };
}

/** `stage 3 only`, `all stages`, `stages 0 and 1`. */
function stagesText(stages: readonly number[], block: Block | undefined): string {
  const all = new Set(block?.operations.map(({ stage }) => stage)).size;
  if (stages.length === 1 && all > 1) return `stage ${stages[0]} only`;
  if (stages.length === all) return 'all stages';
  const [first] = stages;
  const last = stages.at(-1);
  const inRow = last !== undefined && last - first === stages.length - 1 && stages.length > 2;
  return inRow ? `stages ${first} to ${last}` : `stages ${list(stages.map(String))}`;
}
