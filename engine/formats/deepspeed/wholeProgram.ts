/** A program of DeepSpeed without pipeline ranks: each microbatch is a step of accumulation. */
import { count } from '../../basics/quantities.ts';
import { deepspeed } from '../../engines/deepspeed.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { layersText } from '../program/layersText.ts';
import { pythonString } from '../program/pythonString.ts';

/** The options of a program, at the start of its `main`. */
export const parseOptions = (title: string, model: string, named: string): string =>
  `    parser = argparse.ArgumentParser(description="${title}")
    parser.add_argument("--model", metavar="FILE.py", help="${model}")
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="run N steps (default: 1)")
    parser.add_argument("--config", action="store_true", help="print the configuration as JSON")
    options = parser.parse_args()
    if options.config:
        print(CONFIG.strip())
        return
    if options.model is None:
        parser.error("name the file of your ${named} behind --model")
`;

/** The user's file as a module, in every program. */
export const loadModel = `def load_model(path):
    spec = importlib.util.spec_from_file_location("model", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
`;

export function wholeProgram(
  {
    plan,
    devices,
    nodes,
    each,
  }: { readonly plan: PipelinePlan; readonly devices: number; readonly nodes: number; readonly each: number },
  json: string,
  notes: readonly string[],
): string {
  return `#!/usr/bin/env python3
"""A training with DeepSpeed on ${count(devices, 'device', 'devices')}, read in ${deepspeed.read}, written by Pipewright.

    torchrun --nnodes ${nodes} --nproc-per-node ${each} ... SCRIPT --model FILE.py [--steps N]
    python SCRIPT --config                      prints the configuration as JSON

FILE.py has make_model(), loss(output, target) and make_data(replica, replicas), an iterator of (input, target)
for each microbatch of a data rank.

What it does not have of the plan:

${notes.map((note) => `- ${pythonString(note).slice(1, -1)}`).join('\n')}
"""

import argparse
import importlib.util
import json

PIPELINE = ${pythonString(plan.name)}
DATA = ${plan.data}

# Layers of the model.
${layersText(plan.stages.map(({ layers }) => layers))}
CONFIG = """
${json}
"""


${loadModel}

def main():
${parseOptions('Train with DeepSpeed.', 'your make_model, loss and make_data', 'model')}    import deepspeed

    deepspeed.init_distributed()
    model = load_model(options.model)
    module = model.make_model()
    config = json.loads(CONFIG)
    parameters = [one for one in module.parameters() if one.requires_grad]
    engine, *_ = deepspeed.initialize(model=module, model_parameters=parameters, config=config)
    data = iter(model.make_data(deepspeed.comm.get_rank() * DATA // deepspeed.comm.get_world_size(), DATA))
    for _ in range(options.steps * config["gradient_accumulation_steps"]):
        values, target = next(data)
        engine.backward(model.loss(engine(values), target))
        # It updates the weights with the last microbatch only.
        engine.step()


if __name__ == "__main__":
    main()
`;
}
