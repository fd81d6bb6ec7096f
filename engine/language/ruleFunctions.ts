/** What conditions, costs and durations of a schedule may ask for: state of a device, figures of the layers. */
import { functionRow, type FunctionSchema, need } from './functionRow.ts';

/** One of the operations of a schedule that take time by the layers. */
const kindParameter = need('kind', 'an operation: `F`, `B`, `I`, `W` or `R`', ['F', 'B', 'I', 'W', 'R']);
/** One of the operations of a rule. */
const ruleKind = need('kind', 'an operation: `F`, `B`, `I`, `W`, `R`, `E` or `L`', ['F', 'B', 'I', 'W', 'R', 'E', 'L']);

export const ruleFunctions: readonly FunctionSchema[] = [
  functionRow(
    'guard',
    'held',
    'Microbatches in flight at a stage: their forward has begun, and their backward has not ended.',
    [need('s', 'number of a stage of the same device')],
  ),
  functionRow('guard', 'away', 'Microbatches of a stage that E has sent away, and that no L brings back yet.', [
    need('s', 'number of a stage of the same device'),
  ]),
  functionRow(
    'guard',
    'loaded',
    'Microbatches of a stage that L brings or has brought back, and whose backward has not begun.',
    [need('s', 'number of a stage of the same device')],
  ),
  functionRow(
    'guard',
    'pending',
    'Operations of a kind that the device could start now, because all that they need is there.',
    [ruleKind],
  ),
  functionRow('guard', 'done', 'Operations of a kind that the device has ended.', [ruleKind]),
  functionRow(
    'guard',
    'next',
    'Time until the next operation of a kind has received all its inputs, apart from its recomputation. Infinite while an operation that it needs has not begun.',
    [ruleKind, need('s', 'number of a stage of the same device')],
  ),
  functionRow('guard', 'time', 'Time that one operation of a kind takes; of E and L, time of the copy.', [
    ruleKind,
    need('s', 'number of a stage of the same device'),
  ]),
  functionRow('duration', 'time', 'Time that one operation of a kind takes by its layers.', [
    kindParameter,
    need('s', 'number of a stage'),
  ]),
  functionRow(
    'guard',
    'bytes',
    'Bytes that the device of a stage holds: weights, gradients, optimizer state and activations.',
    [need('s', 'number of a stage of the same device')],
  ),
  functionRow('guard', 'activation', 'Bytes that a forward of a stage leaves for the backward.', [
    need('s', 'number of a stage of the same device'),
  ]),
  functionRow('cost', 'time', 'Time that one operation of a kind takes at a stage.', [
    kindParameter,
    need('s', 'number of a stage'),
  ]),
  functionRow('cost', 'weights', 'Bytes of the weights of a stage.', [need('s', 'number of a stage')]),
  functionRow('cost', 'gradients', 'Bytes of the gradients of a stage.', [need('s', 'number of a stage')]),
  functionRow('cost', 'activation', 'Bytes that a forward of a stage leaves for the backward.', [
    need('s', 'number of a stage'),
  ]),
];
