import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { layersText } from '../program/layersText.ts';
import { rowsText, type TorchTable } from '../torchCsv/table.ts';
import { pythonString } from '../program/pythonString.ts';

/** The data of the program: names, numbers, which stages each rank holds, their layers, and the order of each rank. */
export function schedule(plan: PipelinePlan, program: Program, table: TorchTable, dataIsInner: boolean): string {
  const stagesOf = plan.devices.map((_, rank) =>
    Array.from(program.placement.keys()).filter((stage) => program.placement[stage] === rank),
  );
  return `PIPELINE = ${pythonString(plan.name)}
SCHEDULE_NAME = ${pythonString(plan.schedule.name)}
RANKS = ${plan.devices.length}  # of a pipeline
DATA = ${plan.data}  # pipelines that train the same weights, each with its share of the samples
MESH = ${dataIsInner ? '("pp", "dp")' : '("dp", "pp")'}  # ranks count through the last one first
STAGES = ${program.stages}
MICROBATCHES = ${program.microbatches}  # of each pipeline

# What each rank of a pipeline runs on and which stages it holds.
DEVICE_NAMES = [
${plan.devices.map(({ name }) => `    ${pythonString(name)},`).join('\n')}
]
STAGES_OF_RANK = [
${stagesOf.map((stages) => `    [${stages.join(', ')}],`).join('\n')}
]

# Name of each stage, and its layers in order.
STAGE_NAMES = [
${plan.stages.map(({ name }) => `    ${pythonString(name)},`).join('\n')}
]
${layersText(plan.stages.map(({ layers }) => layers))}
# One line a rank: F forward, B backward, I and W its halves (input, weights); stage before, microbatch after.
# PyTorch adds the transfers when it loads the table.
SCHEDULE = """
${rowsText(table)}
"""
`;
}
