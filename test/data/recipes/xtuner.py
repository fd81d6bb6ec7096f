import os

from xtuner.v1.config import AdamWConfig, FSDPConfig, LRConfig
from xtuner.v1.datasets.config import DataloaderConfig
from xtuner.v1.loss import CELossConfig
from xtuner.v1.model.moe.qwen3 import Qwen3MoE30BA3Config
from xtuner.v1.train import TrainerConfig

pack_max_length = 16384
model_cfg = Qwen3MoE30BA3Config(ep_size=8)
fsdp_cfg = FSDPConfig(cpu_offload=False, ep_size=model_cfg.ep_size, recompute_ratio=0.5)
dataloader_cfg = DataloaderConfig(pack_max_length=pack_max_length)

trainer = TrainerConfig(
    load_from=os.environ["MODEL"],
    model_cfg=model_cfg,
    optim_cfg=AdamWConfig(lr=6e-5),
    fsdp_cfg=fsdp_cfg,
    dataloader_cfg=dataloader_cfg,
    lr_cfg=LRConfig(lr_type="cosine"),
    loss_cfg=CELossConfig(mode="chunk"),
    global_batch_size=16,
    total_epoch=1,
)
