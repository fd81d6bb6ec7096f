import { amountOf, whole, words, key, type BlockSchema } from './types.ts';

/** Operations that a rule chooses. */
const ruleLetters = [
  { name: 'F', doc: 'Forward passes.' },
  { name: 'B', doc: 'Whole backward passes.' },
  { name: 'I', doc: 'Input gradients.' },
  { name: 'W', doc: 'Weight gradients.' },
  { name: 'R', doc: 'Recomputation before the backward.' },
];

const allowedLetters = [
  ...ruleLetters,
  { name: 'E', doc: 'Activations that leave for their keeper.' },
  { name: 'L', doc: 'Activations that come back.' },
];

export const schedule: BlockSchema = {
  name: 'schedule',
  doc: 'Your own policy: by rule (`order`), or by rows (`row`).',
  keys: [
    key(
      'from',
      'from = zb_h1',
      { kind: 'schedule' },
      'Takes over all of another schedule: one of this file, an imported one, or a built-in. What is written here replaces what has the same name, and arguments replace the defaults of its parameters.',
      { default: { otherwise: 'none' } },
    ),
    key(
      'param',
      'param warmup = 3 in 1..64',
      amountOf('number', {}),
      'A number that a pipeline may give: `schedule = mine(warmup = 5)`. Its default and range may use `devices`, `stages` and `microbatches`.',
      { default: { otherwise: 'none' }, forms: ['named'], repeatable: true },
    ),
    key(
      'require',
      'require mod(microbatches, devices) == 0',
      amountOf('number', {}),
      'A condition on the numbers of a pipeline. If it does not hold, the pipeline gets an error with the nearest numbers that fit.',
      { default: { otherwise: 'none' }, forms: ['condition'], repeatable: true },
    ),
    key(
      'let',
      'let warm(d) = devices - 1 - d',
      { kind: 'member' },
      'A number, a comparison or operations by name, with or without parameters. It may use other names, but not itself. For a condition of `allow`, it may also use `held(s)`, `next(B, s)` and the other functions that `allow` knows.',
      { default: { otherwise: 'none' }, forms: ['named', 'named-call'], repeatable: true, list: true },
    ),
    key(
      'operation',
      'operation loss { time = 3ms }',
      { kind: 'any' },
      'An operation that the schedule declares. Rows write it with its name: `loss[j]`. A clock table gives its slots: `slot(loss, j)`. A rule lists it in `prefer`.',
      { default: { otherwise: 'none' }, forms: ['block'], repeatable: true, block: 'operation' },
    ),
    key(
      'placement',
      'placement = linear',
      { kind: 'placement' },
      'Placement of stages: `linear`, `loop(v)`, `v_shape`, `wave(w)`, `bidirectional`, or for each device a list of its stages.',
      { default: 'linear' },
    ),
    key(
      'on',
      'on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)',
      { kind: 'operations' },
      'Device of stage s for microbatch j, in place of `placement`; -1 if the stage does not run the microbatch. A stage that is on several devices has a copy on each. With `spare = true`, a list of devices: those behind the first run forwards only.',
      { see: ['look-up/language/schedule.md#slots'], default: { otherwise: 'what `placement` says' }, forms: ['call'] },
    ),
    key('stages', 'stages = 2 * devices', whole(1), 'Number of stages under `on`, for a number of devices.', {
      default: { otherwise: 'as many as devices' },
    }),
    key(
      'spare',
      'spare = true',
      words(
        ['true', 'The devices behind the first hold spare copies, which run forwards only.'],
        ['false', '`on` gives one device.'],
      ),
      'Whether `on` may give a list of devices. All behind the first hold a spare copy of the stage.',
      { default: 'false' },
    ),
    key(
      'idle',
      'idle = true',
      words(['true', 'Devices may be without a stage.'], ['false', 'A device without a stage is an error.']),
      'Whether `on` may leave devices without a stage. They then idle.',
      { default: 'false' },
    ),
    key(
      'forward_only',
      'forward_only(s) = s < 2',
      { kind: 'operations' },
      'Whether stage s runs forwards only: its layers are frozen, and rows write no backward of it. Stages before it must do so, too. Only for rows.',
      { default: { otherwise: 'no stage' }, forms: ['call'] },
    ),
    key(
      'home',
      'home(s) = s',
      whole(0),
      'Device where the weights, gradients and optimizer state of stage s are, under `on`. Its other copies hold no weights, and exchange no gradients: operations of the schedule bring them.',
      {
        see: ['look-up/language/schedule.md#operations-of-a-schedule'],
        default: { otherwise: 'each copy holds them' },
        forms: ['call'],
      },
    ),
    key(
      'parts',
      'parts = 4',
      whole(1),
      'Equal parts that each sequence is cut into: `F[j, part = a]` runs after part a - 1, `B[j, part = a]` after part a + 1. Only for rows.',
      { default: '1' },
    ),
    key(
      'slot',
      'slot(F, s, j) = 2 * j + s',
      { kind: 'operations' },
      'Slot of an operation in a clock table: F, B, I or W of stage s and microbatch j. A device works through its slots in order. With `period`, `slot(F, s)` is the slot of microbatch 0. `slot(W) = free` takes the first free slot after its I. `slot(loss, j)` and `slot(loss, s, j)` are for an operation of the schedule.',
      {
        see: ['look-up/language/schedule.md#rows', 'look-up/language/schedule.md#operations-of-a-schedule'],
        default: { otherwise: 'none: a schedule has `order`, `row` or `slot`' },
        forms: ['call'],
        repeatable: true,
      },
    ),
    key(
      'offload',
      'offload = host',
      { kind: 'operations' },
      'Keeper of the activations that `slot(E, s, j)` or the E of a rule sends: `host`, or `offload(d) = …` with the number of another device.',
      { default: { otherwise: 'none' }, forms: ['value', 'call'] },
    ),
    key('period', 'period = 6', whole(1), 'Slots after which `slot(F, s)` repeats for the next microbatch.', {
      default: { otherwise: 'none: slots are given for each microbatch' },
    }),
    key(
      'fill',
      'fill = true',
      words(
        ['true', 'Operations move to where a device would idle. No device holds more than under the table.'],
        ['false', 'The slots are the order.'],
      ),
      'Whether operations of a clock table move to where a device would idle.',
      { default: 'false' },
    ),
    key(
      'backward',
      'backward = split',
      words(['whole', 'One operation, B.'], ['split', 'Two operations: I, then W.']),
      'Whole backward passes, or separate input and weight gradients.',
      { default: 'whole' },
    ),
    key(
      'order',
      'order = greedy(prefer = [B, F])',
      { kind: 'order' },
      'A free device runs the first ready operation by these kinds.',
      { default: { otherwise: 'none: a schedule has `order`, `row` or `slot`' } },
    ),
    key('in_flight', 'in_flight(s) = stages - s', whole(1), 'Most microbatches in flight at stage s.', {
      default: { otherwise: 'no limit' },
      forms: ['call', 'value'],
    }),
    key(
      'allow',
      'allow(F, s) = held(s) < stages - s',
      { kind: 'guard' },
      'Conditions for operations of a kind at stage s: one starts only while all of them hold. They may use `held(s)`, `pending(F)`, `done(F)`, `next(B, s)`, `time(R, s)`, `bytes(s)`, `activation(s)`.',
      {
        default: { otherwise: 'no condition' },
        forms: ['call'],
        repeatable: true,
        list: true,
        leading: allowedLetters,
      },
    ),
    key(
      'prefer',
      'prefer(0) = [F, B]',
      { kind: 'words', words: allowedLetters },
      'Kinds of operations for device d in order of preference; `prefer(0)` for one device overrides `prefer(d)`.',
      { default: { otherwise: 'what `greedy` says' }, forms: ['call'], repeatable: true },
    ),
    key(
      'ties',
      'ties = deepest',
      words(
        ['oldest', 'The lowest microbatch, then the deepest stage.'],
        ['deepest', 'The deepest stage, then the lowest microbatch.'],
        ['shallowest', 'The first stage, then the lowest microbatch.'],
      ),
      'Which of two ready operations of a kind runs first.',
      { default: 'oldest' },
    ),
    key(
      'limit',
      'limit = 60GiB',
      amountOf('bytes'),
      'Most bytes that each device holds. A forward starts only if the backwards then fit, too; what a waiting W needs is included.',
      { default: { otherwise: 'no limit' }, forms: ['value', 'call'] },
    ),
    key(
      'time',
      'time(F, s, j) = time(F, s) * if(mod(j, 4) == 0, 2, 1)',
      { kind: 'duration' },
      'Duration of the operations of a kind at stage s and microbatch j, in place of what the layers take: `time(F, s)`. With `parts`, `time(F, s, j, a)` is for part a of the sequence. A time of B is divided between I and W as in the layers.',
      { default: { otherwise: 'what the layers take' }, forms: ['call'], repeatable: true, leading: ruleLetters },
    ),
    key(
      'weights',
      'weights = flush',
      words(
        ['flush', 'All microbatches of an iteration use the same weights.'],
        ['stash', 'Backward with the weights of the forward.'],
        ['vertical_sync', 'One version through all stages.'],
        ['double_buffer', 'Two versions.'],
        ['predict', 'Forward with predicted weights.'],
        ['latest', 'Always the newest weights.'],
      ),
      'Update rule of the weights.',
      { default: 'flush' },
    ),
    key(
      'recompute',
      'recompute = written',
      words(
        ['written', 'Only where an `R` is written. All other microbatches and stages keep their activations.'],
        ['with_backward', 'In the backward, as the `recompute` of the pipeline says. Rows write no `R`.'],
      ),
      'Where stages recompute. Only for rows.',
      { default: { otherwise: '`written` if the text of a row has an `R`, otherwise `with_backward`' } },
    ),
    key(
      'row',
      'row(d) = F[0..<microbatches], B[0..<microbatches]',
      { kind: 'operations' },
      'Operations of device d in order; `row(0)` for one device overrides `row(d)`. A comma joins sequences.',
      {
        default: { otherwise: 'none: a schedule has `order`, `row` or `slot`' },
        forms: ['call'],
        repeatable: true,
        list: true,
      },
    ),
  ],
};
