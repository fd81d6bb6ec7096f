/** What the outer optimizer of islands keeps and moves (DiLoCo, local SGD). Its weights and momentum are in fp32. */

/** `nesterov`: DiLoCo. `average`: local SGD, which keeps nothing. */
type Outer = 'nesterov' | 'average';

/**
 * Bytes that torchft moves in the memory of the device for each weight (`local_sgd.py`; 4 for a tensor that is read or written). DiLoCo: the
 * change (3), a copy of the weights (2), the backup in their place (2), momentum of PyTorch's SGD with Nesterov (2 + 3 + 3), the
 * weights (3), their backup (2), and the mix of both (3). Local SGD: a copy of the weights (2), and their mean back (2).
 */
export const outerMoved: Readonly<Record<Outer, number>> = { nesterov: 4 * 23, average: 4 * 4 };

export interface OuterKept {
  readonly outer: Outer;
  readonly backup: 'host' | 'device';
  readonly delay: number;
  readonly fragments: number;
}

/**
 * Bytes on the device for each weight that it holds: momentum, the weights of the last exchange, and the changes of one fragment while they
 * travel.
 */
export const outerState = ({ outer, backup, delay, fragments }: OuterKept): number =>
  outer === 'average' ? 0 : 4 + (backup === 'device' ? 4 : 0) + (delay > 0 ? 4 / fragments : 0);
