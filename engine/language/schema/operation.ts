import { key, type BlockSchema } from './types.ts';

export const operation: BlockSchema = {
  name: 'operation',
  doc: 'An operation that the schedule declares: `NAME[j]` runs it. Parameters of its keys go by their names: `d` is the device, `s` the stage, `j` the number in the brackets.',
  keys: [
    key(
      'time',
      'time = 3ms',
      { kind: 'cost' },
      'Time that it takes. It may use `d`, `s` and `j`, and times of other operations: `time(s) = time(F, s) / 2`. Tests of the schedule count a forward as 1 s, so `3ms` is 0.003 forwards there.',
      { default: '0s', forms: ['value', 'call'] },
    ),
    key(
      'holds',
      'holds = 2GiB',
      { kind: 'cost' },
      'Bytes that its device holds from its start until the last operation that waits for it has ended. It may use `weights`, `gradients` and `activation` of its stage.',
      { default: '0B', forms: ['value', 'call'] },
    ),
    key(
      'sends',
      'sends = weights',
      { kind: 'cost' },
      'Bytes that it sends when it ends: to each device with an operation that waits for it, or to `to(d)`.',
      { default: '0B', forms: ['value', 'call'] },
    ),
    key(
      'to',
      'to(d) = mod(d + 1, devices)',
      { kind: 'cost' },
      'Device that receives what it sends, whether an operation there waits for it or not.',
      { default: { otherwise: 'each device with an operation that waits for it' }, forms: ['value', 'call'] },
    ),
    key(
      'on',
      'on(j) = devices - 1',
      { kind: 'operations' },
      'Device that runs it, in a clock table or a rule. It may use `s` and `j`. In a rule, a number below 0 leaves the operation out.',
      { default: { otherwise: 'the device that runs its stage for this microbatch' }, forms: ['value', 'call'] },
    ),
    key(
      'after',
      'after(j) = F[j, stage = stages - 1]',
      { kind: 'operations' },
      'Operations that it waits for. An operation without a stage is one of the same device.',
      { default: { otherwise: 'nothing' }, forms: ['value', 'call'], list: true },
    ),
    key(
      'before',
      'before(j) = B[j, stage = stages - 1]',
      { kind: 'operations' },
      'Operations that wait for it. An operation without a stage is one of the same device.',
      { default: { otherwise: 'nothing' }, forms: ['value', 'call'], list: true },
    ),
  ],
};
