import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { type TorchTable, cellText } from '../torchCsv/table.ts';
import { pythonString } from './pythonString.ts';

/** Names of layers that the comment of a stage gives before it counts the rest. */
const mostNames = 3;

/** The data of the program: names, numbers, which stages each rank holds, and the order of each rank. */
export function schedule(plan: PipelinePlan, program: Program, table: TorchTable): string {
  const stagesOf = plan.devices.map((_, rank) =>
    Array.from(program.placement.keys()).filter((stage) => program.placement[stage] === rank),
  );
  const rows = table.rows.map((row) =>
    row
      .filter((cell) => cell.kind !== 'blank')
      .map(cellText)
      .join(','),
  );
  return `PIPELINE = ${pythonString(plan.name)}
SCHEDULE_NAME = ${pythonString(plan.schedule.name)}
RANKS = ${plan.devices.length}
STAGES = ${program.stages}
MICROBATCHES = ${program.microbatches}

# What each rank runs on and which stages it holds.
DEVICE_NAMES = [
${plan.devices.map(({ name }) => `    ${pythonString(name)},`).join('\n')}
]
STAGES_OF_RANK = [
${stagesOf.map((stages) => `    [${stages.join(', ')}],`).join('\n')}
]

# Name of each stage and some of its layers.
STAGE_NAMES = [
${plan.stages.map(({ name, layers: stageLayers }) => `    (${pythonString(name)}, ${pythonString(ends(stageLayers))}),`).join('\n')}
]

# One line a rank: F forward, B backward, I and W its halves (input, weights); stage before, microbatch after.
# PyTorch adds the transfers when it loads the table.
SCHEDULE = """\\
${rows.join('\n')}
"""
`;
}

const ends = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(', ') : `${names[0]} to ${names[names.length - 1]} (${names.length} layers)`;
