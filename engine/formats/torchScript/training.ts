/** Steps of the schedule, and the same step without a pipeline. */
export const training = `def load_schedule(runtime):
    # The runtime reads tables from files only.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "schedule.csv")
        with open(path, "w", newline="") as file:
            file.write(SCHEDULE.strip() + "\\n")
        runtime._load_csv(path, format="compute_only")


class Pipeline:
    """The stages of one rank, in one of DATA pipelines."""

    def __init__(self, model, device):
        sizes = {"pp": RANKS, "dp": DATA}
        # Groups are called mesh_pp and mesh_dp: traces say with them which ranks form a pipeline.
        mesh = init_device_mesh(device.type, tuple(sizes[name] for name in MESH), mesh_dim_names=MESH)
        self.model, self.device = model, device
        self.replicas = mesh.get_group("dp")
        self.replica, rank = mesh.get_local_rank("dp"), mesh.get_local_rank("pp")
        self.modules = {index: model.make_stage(index, LAYERS[index]).to(device) for index in STAGES_OF_RANK[rank]}
        group = mesh.get_group("pp")
        stages = [PipelineStage(module, index, STAGES, device, group=group) for index, module in self.modules.items()]
        self.runtime = _PipelineScheduleRuntime(stages, n_microbatches=MICROBATCHES, loss_fn=model.loss)
        load_schedule(self.runtime)
        self.parameters = [one for module in self.modules.values() for one in module.parameters()]
        make_optimizer = getattr(model, "make_optimizer", None)
        self.optimizer = None if make_optimizer is None or not self.parameters else make_optimizer(self.parameters)

    def own(self, whole):
        """The samples of this pipeline."""
        if whole.shape[0] % (DATA * MICROBATCHES) != 0:
            raise SystemExit(
                f"{whole.shape[0]} samples of a step do not divide into {DATA} x {MICROBATCHES} microbatches."
            )
        return whole.chunk(DATA)[self.replica].to(self.device)

    def step(self):
        """Runs one step, and leaves the gradients of all pipelines' samples; returns the loss where the last stage is (else None)."""
        for one in self.parameters:
            one.grad = None
        # Each rank makes both, so that data that is drawn stays the same on all.
        inputs, target = self.batch = self.model.make_input(), self.model.make_target()
        args = [self.own(inputs)] if 0 in self.modules else []
        losses = []
        if STAGES - 1 in self.modules:
            self.runtime.step(*args, target=self.own(target), losses=losses)
        else:
            self.runtime.step(*args)
        value = torch.stack(losses).mean().detach() if losses else None
        if DATA > 1:
            for mean in [one.grad for one in self.parameters if one.grad is not None] + ([] if value is None else [value]):
                dist.all_reduce(mean, group=self.replicas)
                mean /= DATA
        return value


def whole_step(model, device, batch):
    """The same step with all stages one after the other and no microbatches."""
    modules = [model.make_stage(index, LAYERS[index]).to(device) for index in range(STAGES)]
    inputs, target = batch
    value = model.loss(torch.nn.Sequential(*modules)(inputs.to(device)), target.to(device))
    value.backward()
    return modules, value.detach()
`;
