/**
 * Orders of a few chains that share devices, within the windows of their operations. A device runs one operation at a time.
 *
 * States are prefixes of the chains with the ends of their last operations. From a state, the operation that can end first runs next,
 * or another one of the same device that can start before that end. Whatever can be done with an order can be done with one of
 * these (Giffler and Thompson 1960). Of two states with equal prefixes, one that is nowhere later than the other can do whatever the
 * other can. So the other is left. For two chains that share machines, this is the method of Akers (1956).
 */
import { contestMoves, none, stuck } from './contestMoves.ts';
import { contestStates } from './contestStates.ts';
import { contestTables, fillTables, type Strand } from './contestTables.ts';

export interface Contest {
  /** False if no order keeps the windows. Undefined if there are too many states: then `earliest` says nothing. */
  run(strands: readonly Strand[]): boolean | undefined;
  /** Operations looked at so far. */
  visited(): number;
}

/** `most`: states. `longest`: operations of a chain. */
export function contestFor(mostChains: number, longest: number, most: number): Contest {
  const tables = contestTables(mostChains, longest);
  const moves = contestMoves(tables);
  const states = contestStates(tables, moves, most);
  const { at, next, isRival } = moves;
  const { better, newest, older } = states;
  const earliest = new Float64Array(mostChains * longest);
  /** Children of each state are the states from `first` to `end`. */
  const first = new Int32Array(most);
  const end = new Int32Array(most);
  /** 1 for states from which all chains can end. */
  const alive = new Uint8Array(most);
  let visited = 0;

  /** Whether all chains can end from a state, or from one that is nowhere later. */
  const livesOn = (state: number): boolean => alive[states.earliest(state)] === 1;

  /**
   * Goes on from a state until a chain waits for another one or has a choice. Keeps the states then; false if there is no room.
   * With `notes`, it notes when operations start.
   */
  const go = (state: number, notes: boolean): boolean => {
    const { chains } = tables;
    states.resume(state);
    let child = first[state];
    for (let goesOn = true; goesOn;) {
      visited += chains;
      const rivals = moves.chooseRivals();
      if (rivals === none) alive[state] = 1;
      if (rivals === none || rivals === stuck) return true;
      if (rivals > 1) moves.save();
      goesOn = false;
      let isFirst = true;
      for (let chain = 0; chain < chains; chain += 1) {
        if (isRival[chain] === 0) continue;
        if (!isFirst) moves.restore();
        isFirst = false;
        const place = chain * longest + at[chain];
        const begin = next[chain];
        const waits = moves.step(chain);
        if (waits === 0) continue;
        goesOn = waits === 1 && rivals === 1;
        if (!notes) {
          if (!goesOn && !states.keep()) return false;
          continue;
        }
        if (begin < earliest[place] && (goesOn || livesOn(child))) earliest[place] = begin;
        if (!goesOn) child += 1;
      }
    }
    return true;
  };

  const run = (strands: readonly Strand[]): boolean | undefined => {
    const total = fillTables(tables, strands);
    states.begin(total);
    // A state goes on to states of more operations: all of a list are in it before any of them goes on.
    for (let done = 0; done <= total; done += 1)
      for (let state = newest[done]; state >= 0; state = older[state]) {
        alive[state] = 0;
        first[state] = states.used();
        if (better[state] < 0 && !go(state, false)) return undefined;
        end[state] = states.used();
      }
    for (let done = total; done >= 0; done -= 1)
      for (let state = newest[done]; state >= 0; state = older[state])
        for (let child = first[state]; child < end[state] && alive[state] === 0; child += 1)
          if (livesOn(child)) alive[state] = 1;
    if (alive[0] === 0) return false;
    earliest.fill(Infinity);
    const used = states.used();
    for (let state = 0; state < used; state += 1) if (better[state] < 0 && alive[state] === 1) go(state, true);
    strands.forEach((strand, chain) => {
      strand.earliest.set(earliest.subarray(chain * longest, chain * longest + strand.length));
    });
    return true;
  };
  return { run, visited: () => visited };
}
