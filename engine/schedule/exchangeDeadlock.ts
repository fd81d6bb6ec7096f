import type { Exchanges } from '../values/timeline.ts';
import type { TransferRule } from '../values/plan.ts';
import { disjointCircles } from './circles.ts';
import type { DeadlockStep } from './deadlockSteps.ts';
import type { Dependencies } from '../order/dependencies.ts';
import { type NeedTable, deviceOfItem, exchangesOf } from '../order/exchanges.ts';
import { type Reductions, reductionsOf } from '../order/reductions.ts';
import { type Program, resultRows } from '../values/program.ts';

/**
 * Circles of a program whose sends and receives block, and which otherwise runs (`disjointCircles`). Empty if it runs all the same. An
 * exchange begins when both its devices have come to it. So whoever is in a group waits for what comes before the other half. An
 * update waits for the gradients of the other copies of its stage.
 */
export function exchangeCircles(
  program: Program,
  dependencies: Dependencies,
  rule: TransferRule,
  most: number,
): readonly (readonly DeadlockStep[])[] {
  const table = needsByRow(program, dependencies);
  const exchanges = exchangesOf(program, table, rule.batched);
  const reductions = reductionsOf(program, table, exchanges);
  const stuck = stuckItems(exchanges, reductions);
  if (stuck.every((item, device) => item === exchanges.offsets[device + 1])) return [];
  // Within a device the order is one that runs, so only groups and what stands behind them wait.
  const each = (item: number, visit: (target: number, exchange: number, update?: number) => void): void => {
    const { from, members } = exchanges;
    for (let at = from[item]; at < from[item + 1]; at += 1) {
      const other = otherEnd(exchanges, members[at], item);
      if (other > stuck[deviceOfItem(exchanges, other)]) visit(other - 1, members[at]);
    }
    for (const { item: made, position } of reductions(item))
      if (made >= stuck[deviceOfItem(exchanges, made)]) visit(made, -1, position);
    if (item > stuck[deviceOfItem(exchanges, item)]) visit(item - 1, -1);
  };
  const nodes = function* (): Iterable<number> {
    for (const [device, item] of stuck.entries())
      for (let at = item; at < exchanges.offsets[device + 1]; at += 1) yield at;
  };
  const iterable = { [Symbol.iterator]: () => nodes()[Symbol.iterator]() };
  const circles = disjointCircles({ size: exchanges.slot.length, nodes: iterable, each }, most);
  return circles.map((circle) =>
    circle.flatMap((item, index) => {
      const next = circle[(index + 1) % circle.length];
      let via: { readonly exchange: number; readonly update?: number } | undefined;
      each(item, (target, exchange, update) => {
        if (target === next) via ??= { exchange, update };
      });
      const { exchange, update } = via ?? { exchange: -1 };
      if (update === undefined) return stepsOf(program, exchanges, item, exchange);
      const device = deviceOfItem(exchanges, item);
      return [{ word: program.order[update], device, position: update, because: 'needs' as const }];
    }),
  );
}

/** Kinds share the needs of their result: B and I have one list. */
function needsByRow(program: Program, { offsets, ...needs }: Dependencies): NeedTable {
  const result = resultRows(program);
  return { first: result.map((row) => offsets[row]), last: result.map((row) => offsets[row + 1]), ...needs };
}

const otherEnd = ({ sender, receiver }: Exchanges, exchange: number, item: number): number =>
  sender[exchange] === item ? receiver[exchange] : sender[exchange];

/** For each device the item that it never leaves; its end, where it leaves all. */
function stuckItems(exchanges: Exchanges, reductions: Reductions): Int32Array {
  const { offsets, from, members } = exchanges;
  const devices = offsets.length - 1;
  const at = offsets.slice(0, devices);
  const issued = new Uint8Array(exchanges.need.length);
  // Exchanges of the group that a device stands in which the other half has not come to yet.
  const open = new Int32Array(devices);
  const entered = Int32Array.from(at, () => -1);
  const ready = Array.from(at, (_, device) => device);
  // Devices that wait for an item of another one.
  const waiting = new Map<number, number[]>();
  for (let device = ready.pop(); device !== undefined; device = ready.pop()) {
    while (at[device] < offsets[device + 1]) {
      const item: number = at[device];
      if (entered[device] !== item) {
        entered[device] = item;
        for (let edge: number = from[item]; edge < from[item + 1]; edge += 1) {
          const exchange: number = members[edge];
          if (issued[exchange] === 1) {
            const other = deviceOfItem(exchanges, otherEnd(exchanges, exchange, item));
            open[other] -= 1;
            if (open[other] === 0) ready.push(other);
          } else {
            issued[exchange] = 1;
            open[device] += 1;
          }
        }
      }
      if (open[device] > 0) break;
      const missing = reductions(item).find(
        (reduction) => reduction.item >= at[deviceOfItem(exchanges, reduction.item)],
      );
      if (missing !== undefined) {
        waiting.set(missing.item, [...(waiting.get(missing.item) ?? []), device]);
        break;
      }
      at[device] += 1;
      for (const woken of waiting.get(item) ?? []) ready.push(woken);
      waiting.delete(item);
    }
  }
  return at;
}

/** How an item of a circle waits for the next: after it on its device, or by an exchange whose other half comes after it. */
function stepsOf(program: Program, exchanges: Exchanges, item: number, via: number): readonly DeadlockStep[] {
  const { slot, from, members } = exchanges;
  if (via >= 0) {
    return [
      stepAt(program, exchanges, item, via, 'exchange'),
      stepAt(program, exchanges, otherEnd(exchanges, via, item), via, 'order'),
    ];
  }
  if (slot[item] < 0) return [stepAt(program, exchanges, item, members[from[item]], 'order')];
  const device = deviceOfItem(exchanges, item);
  return [{ word: program.order[slot[item]], device, position: slot[item], because: 'order' }];
}

function stepAt(
  program: Program,
  exchanges: Exchanges,
  item: number,
  exchange: number,
  because: DeadlockStep['because'],
): DeadlockStep {
  const sends = exchanges.sender[exchange] === item;
  const position = (sends ? exchanges.madeAt : exchanges.usedAt)[exchange];
  const device = deviceOfItem(exchanges, item);
  return { word: program.order[position], device, position, because, exchange: sends ? 'SEND' : 'RECV' };
}
