/** Orders back whose length is compared. */
const memory = 64;

/**
 * Burke and Bykov, "The late acceptance Hill-Climbing heuristic" (2017). An order is the next one to change if it is as good as
 * the present one, or as the one that was present `memory` orders ago. `slack`: share by which the first ones may be longer.
 */
export function acceptanceFrom(value: number, slack: number): (next: number) => boolean {
  const before = new Float64Array(memory).fill(value * (1 + slack));
  let present = value;
  let turn = 0;
  return (next) => {
    const accepted = next < Infinity && (next <= present || next <= before[turn]);
    if (accepted) present = next;
    before[turn] = Math.min(before[turn], present);
    turn = (turn + 1) % memory;
    return accepted;
  };
}
