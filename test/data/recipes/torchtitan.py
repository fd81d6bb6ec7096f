import os

from torchtitan.components.optimizer import default_adamw
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.trainer import Trainer

from . import model_registry


def our_70b() -> Trainer.Config:
    """One run of ours."""
    model_spec = model_registry("70B")
    return Trainer.Config(
        hf_assets_path="./assets/hf/Llama-3.1-70B",
        dump_folder=os.environ["OUT"],  # where results go
        model_spec=model_spec,
        optimizer=default_adamw(lr=1.5e-4),
        training=TrainingConfig(
            num_tokens_per_microbatch_per_dp_rank=2 * 8192,
            max_context_length=8192,
            steps=1000,
        ),
        parallelism=ParallelismConfig(
            data_parallel_shard_degree=4,
            tensor_parallel_degree=8,
            pipeline_parallel_degree=4,
            pipeline_parallel_schedule="ZBVZeroBubble",
            num_pp_microbatches=int(os.environ.get("MICROBATCHES", "16")),
        ),
        activation_checkpoint=FullAC.Config(),
        compile=CompileConfig(enable=True),
    )
