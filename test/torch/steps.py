"""Runs exported programs one after the other in one group of processes.

Input: a JSON list of files. Output: for each file what each rank ran, in order, and the largest difference of the loss and of the
gradients from the unpipelined model, as a share of the largest value.
"""

import importlib.util
import json
import multiprocessing
import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage


class Recorded(PipelineStage):
    """A stage that notes what it runs."""

    log = []

    def forward_one_chunk(self, chunk, *args, **options):
        self.log.append(f"{self.stage_index}F{chunk}")
        return super().forward_one_chunk(chunk, *args, **options)

    def backward_one_chunk(self, chunk, *args, full_backward=True, **options):
        self.log.append(f"{self.stage_index}{'B' if full_backward else 'I'}{chunk}")
        return super().backward_one_chunk(chunk, *args, full_backward=full_backward, **options)

    def backward_weight_one_chunk(self, chunk, *args, **options):
        self.log.append(f"{self.stage_index}W{chunk}")
        return super().backward_weight_one_chunk(chunk, *args, **options)


def program(path):
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PipelineStage = Recorded
    return module


def step(path, rank):
    exported = program(path)
    Recorded.log = []
    pipeline = exported.Pipeline(exported, torch.device("cpu"))
    worst, _, compared = exported.check(rank, pipeline, pipeline.step())
    return {"ran": Recorded.log, "worst": worst, "compared": compared}


def work(rank, ranks, paths, folder):
    store = os.path.join(folder, "store").replace(os.sep, "/")
    dist.init_process_group("gloo", init_method=f"file:///{store.lstrip('/')}", world_size=ranks, rank=rank)
    found = []
    for path in paths:
        found.append(step(path, rank))
        dist.barrier()
    with open(os.path.join(folder, f"rank{rank}.json"), "w") as file:
        json.dump(found, file)
    dist.destroy_process_group()


def main():
    ranks, paths = int(sys.argv[1]), sys.argv[2:]
    # To import PyTorch takes seconds: with fork it is imported once.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with tempfile.TemporaryDirectory() as folder:
        workers = [context.Process(target=work, args=(rank, ranks, paths, folder)) for rank in range(ranks)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if any(worker.exitcode != 0 for worker in workers):
            return 1
        answers = []
        for rank in range(ranks):
            with open(os.path.join(folder, f"rank{rank}.json")) as file:
                answers.append(json.load(file))
        json.dump(answers, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
