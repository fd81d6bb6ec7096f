/** One step of the schedule, and the same step without a pipeline. */
export const training = `def load_schedule(runtime):
    # The runtime reads tables from files only.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "schedule.csv")
        with open(path, "w", newline="") as file:
            file.write(SCHEDULE)
        runtime._load_csv(path, format="compute_only")


def pipelined_step(rank, device):
    """Runs one step; returns this rank's stages by index, and the loss where the last stage is (else None)."""
    modules = {index: make_stage(index).to(device) for index in STAGES_OF_RANK[rank]}
    stages = [PipelineStage(module, index, STAGES, device) for index, module in modules.items()]
    runtime = _PipelineScheduleRuntime(stages, n_microbatches=MICROBATCHES, loss_fn=loss)
    load_schedule(runtime)
    inputs = [make_input().to(device)] if 0 in modules else []
    losses = []
    if STAGES - 1 in modules:
        runtime.step(*inputs, target=make_target().to(device), losses=losses)
    else:
        runtime.step(*inputs)
    return modules, torch.stack(losses).mean().detach() if losses else None


def whole_step(device):
    """The same step with all stages one after the other and no microbatches."""
    modules = [make_stage(index).to(device) for index in range(STAGES)]
    value = loss(torch.nn.Sequential(*modules)(make_input().to(device)), make_target().to(device))
    value.backward()
    return modules, value.detach()
`;
