/** `to = host`, `to = devices - 1 - d`: who keeps the activations that E sends. */
import type { Expression, Index } from '../../grammar/syntax.ts';
import { depthOf, type NumberCode } from './code.ts';
import { compileNumber } from './operands.ts';
import { type Frame, outside } from './frame.ts';
import { givenNames, type Names } from './names.ts';

export interface Keeper extends Pick<NumberCode, 'depth'> {
  /** Notes in the frame who keeps what the row sends. */
  readonly keep: (frame: Frame) => void;
}

const where = '`to = host` or `to = DEVICE`, where DEVICE is another device';

/** Reports an E that does not say where the activations go. */
export function noKeeper({ context }: Names, node: Index): undefined {
  context.report.report('key/missing', node, { key: 'to', block: 'call to E', example: 'E[0, to = host]' });
  return undefined;
}

/** The word `host`, or the number of a device, which may use the sender's in a slot; `undefined` where it is wrong, which has been reported. */
export function keeperArgument(names: Names, value: Expression, slot?: number): Keeper | undefined {
  if (value.kind === 'name' && value.text === 'host' && !names.context.links.has(value))
    return { depth: 0, keep: (frame) => note(frame, value, 'host') };
  const number = compileNumber(names, value, 'number');
  if (number === undefined) return undefined;
  const keep = (frame: Frame): void => {
    if (slot !== undefined) frame.slots[slot] = frame.device;
    const device = number.at(frame);
    const devices = frame.slots[givenNames.indexOf('devices')];
    if (frame.failed) return;
    if (!(Number.isInteger(device) && device >= 0 && device < devices))
      outside(frame, value, 'The device that keeps the activations', String(device), `from 0 to ${devices - 1}`);
    else if (device === frame.device)
      outside(frame, value, 'The device that keeps the activations', `${device}, the device itself`, where);
    else note(frame, value, device);
  };
  return { depth: depthOf([number]), keep };
}

/** A device sends all that it evicts to one place. */
function note(frame: Frame, at: Expression, keeper: number | 'host'): void {
  frame.keeper ??= keeper;
  if (frame.keeper === keeper || frame.failed) return;
  const words = (found: number | 'host'): string => (found === 'host' ? 'the host' : `device ${found}`);
  frame.report.report('type/mismatch', at, {
    expected: `${words(frame.keeper)}, where other E of this row send activations: a device sends all to one place`,
    found: words(keeper),
  });
  frame.failed = true;
}
