/** What operations of a rule wait for beyond F and B, because operations of the schedule say so. */

export interface RuleWait {
  /** Result slots (row × microbatches + microbatch) of who waits, and of what it waits for. */
  readonly who: number;
  readonly whom: number;
  /** Ticks of the message. */
  readonly delay: number;
}

export interface RuleWaits {
  /** Whether all that an operation waits for has come. */
  isOpen(slot: number): boolean;
  /** Slots that an operation still waits for. */
  openOf(slot: number): readonly number[];
  /** An operation has ended: tells each wait for it. */
  ends(slot: number, tell: (wait: number, delay: number) => void): void;
  /** The message of a wait has come; the slot of who waits. */
  arrives(wait: number): number;
}

/** Linear in the waits. */
export function ruleWaits(waits: readonly RuleWait[], slots: number): RuleWaits {
  const left = new Int32Array(slots);
  const starts = new Int32Array(slots + 1);
  for (const { who, whom } of waits) {
    left[who] += 1;
    starts[whom + 1] += 1;
  }
  for (let slot = 0; slot < slots; slot += 1) starts[slot + 1] += starts[slot];
  const byWhom = new Int32Array(waits.length);
  const next = starts.slice(0, slots);
  for (const [wait, { whom }] of waits.entries()) {
    byWhom[next[whom]] = wait;
    next[whom] += 1;
  }
  const arrived = new Uint8Array(waits.length);
  return {
    isOpen: (slot) => left[slot] === 0,
    openOf: (slot) => waits.flatMap(({ who, whom }, wait) => (who === slot && arrived[wait] === 0 ? [whom] : [])),
    ends(slot, tell) {
      for (let at = starts[slot]; at < starts[slot + 1]; at += 1) tell(byWhom[at], waits[byWhom[at]].delay);
    },
    arrives(wait) {
      arrived[wait] = 1;
      left[waits[wait].who] -= 1;
      return waits[wait].who;
    },
  };
}

/**
 * When an operation no longer needs what another one holds: the results that may be given up once the operation of a slot has ended.
 * `others`: those for whom another device waits are never given up, because the order of a device does not say when that ends.
 */
export function ruleReleases(
  waits: readonly RuleWait[],
  isHeld: (slot: number) => boolean,
  isLocal: (wait: RuleWait) => boolean,
): (ended: number) => readonly number[] {
  const users = new Map<number, number>();
  const by = new Map<number, number[]>();
  for (const wait of waits) {
    if (!isHeld(wait.whom)) continue;
    users.set(wait.whom, (users.get(wait.whom) ?? 1) + (isLocal(wait) ? 1 : Infinity));
    by.set(wait.who, [...(by.get(wait.who) ?? []), wait.whom]);
  }
  return (ended) => {
    const done = [...(isHeld(ended) ? [ended] : []), ...(by.get(ended) ?? [])];
    return done.filter((slot) => {
      const left = (users.get(slot) ?? 1) - 1;
      users.set(slot, left);
      return left === 0;
    });
  };
}
