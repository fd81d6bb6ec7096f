/** Causes of a wait as numbered steps: an operation and the transfer of its result are one step. */
import type {
  Cause,
  LaneCause,
  PieceCause,
  RanCause,
  StepCause,
  TransferCause,
  Wait,
  WaitChain,
} from './chainTypes.ts';

/** How a step explains the step before it in the list. */
export type StepReason =
  /** Its result is needed. */
  | 'result'
  /** The device is busy with it. */
  | 'before'
  /** Sends and receives block: it comes before the exchange on the device that is last to come there. */
  | 'exchange'
  /** The link carries this result first. */
  | 'ahead'
  /** The iteration ends with it. */
  | 'last'
  /** Its gradients are sent. */
  | 'makes'
  | (StepCause | PieceCause | LaneCause)['kind'];

export interface WaitStep {
  readonly reason: StepReason;
  /** The operation that runs or whose result is carried; −1 for the step at the end and the gathering at the start. */
  readonly position: number;
  /** The device that runs it. */
  readonly device: number;
  /** The device that receives its result; −1 where nothing is carried. */
  readonly receiver: number;
  /** Sends and receives block: sender and receiver do nothing else during the transfer. */
  readonly blocks: boolean;
  /** Seconds of the operation, without the part before the chain begins, and of the transfer after it; 0 for none. */
  readonly work: number;
  readonly transfer: number;
  /** When the work or the transfer begins, and when the next thing could begin. */
  readonly from: number;
  readonly to: number;
  /** The device that needs it was busy until then too. */
  readonly tied: boolean;
  /** Seconds that the result waits for its link, and seconds that others on the link cost it. */
  readonly queued: number;
  readonly slowed: number;
  /** What is on a lane, and the tensor whose gradients an operation makes. */
  readonly exchange?: PieceCause | LaneCause;
  readonly makes?: RanCause['makes'];
}

/** The steps of a chain, latest first. Their work and transfers add up to what the chain explains (`chainOrigin` to `chainEnd`). */
export function waitSteps(wait: Wait, { causes, stop }: WaitChain): readonly WaitStep[] {
  const steps: WaitStep[] = [];
  let device = -1;
  for (let index = 0; index < causes.length; index += 1) {
    const cause = causes[index];
    if (cause.kind === 'transfer') {
      const next = causes.at(index + 1);
      const joined = next?.kind === 'operation' && next.position === cause.position;
      const reason = cause.ahead ? 'ahead' : 'result';
      if (joined && !(stop === 'device' && index + 2 === causes.length)) {
        steps.push({ ...transferStep(cause, reason), device: next.device, work: next.to - next.from, from: next.from });
        index += 1;
      } else {
        steps.push({ ...transferStep(cause, reason), device: cause.sender });
        if (joined) index += 1;
      }
      device = joined ? next.device : cause.receiver;
      continue;
    }
    const before = index === 0 ? undefined : causes[index - 1];
    steps.push({
      reason: cause.kind === 'operation' ? reasonOf(wait, before, device, cause) : cause.kind,
      position: cause.kind === 'operation' ? cause.position : -1,
      device: cause.device,
      // The chain begins at the end of the operation to which it comes back.
      work: stop === 'device' && index + 1 === causes.length ? 0 : cause.to - cause.from,
      transfer: 0,
      receiver: -1,
      blocks: false,
      from: cause.from,
      to: cause.to,
      tied: cause.kind === 'operation' && cause.tied,
      queued: 0,
      slowed: 0,
      ...(cause.kind === 'piece' || cause.kind === 'lane' ? { exchange: cause } : {}),
      ...(cause.kind === 'operation' && cause.makes !== undefined ? { makes: cause.makes } : {}),
    });
    device = cause.device;
  }
  return steps;
}

function reasonOf(wait: Wait, before: Cause | undefined, device: number, cause: RanCause): StepReason {
  if (cause.makes !== undefined) return 'makes';
  if (before?.kind === 'transfer') return before.position === cause.position ? 'result' : 'exchange';
  if (before === undefined) return wait.before < 0 ? 'last' : 'result';
  if (before.kind === 'sync' || before.kind === 'step') return 'last';
  return device === cause.device ? 'before' : 'result';
}

function transferStep(cause: TransferCause, reason: StepReason): Omit<WaitStep, 'device'> {
  const { position, receiver, blocks, from, to, tied, queued, slowed } = cause;
  return { reason, position, receiver, blocks, work: 0, transfer: to - from, from, to, tied, queued, slowed };
}

/** When what a chain explains is over: the end of the wait, or the arrival of gradients within the operation that ends it. */
export const chainEnd = ({ causes }: WaitChain, end: number): number => causes.at(0)?.to ?? end;

/** When the chain begins: the end of the operation to which it comes back, or the start of its last cause. Seconds. */
export function chainOrigin({ causes, stop }: WaitChain, end: number): number {
  const last = causes.at(-1);
  if (last === undefined) return end;
  return stop === 'device' ? last.to : last.from;
}
