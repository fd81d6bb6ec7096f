/** The comparison, the set-up of processes, and the command line of the program. */
export const main = `WORLD = RANKS * DATA


def tolerance(dtype):
    """Differences that sums in another order make, as a share of the largest value: 4e-10 for 64 bits, 7e-5 for 32."""
    return torch.finfo(dtype).eps ** 0.6


def difference(value, expected):
    """Largest difference, as a share of the largest expected value."""
    if value is None or value.shape != expected.shape:
        return float("inf")
    value, expected = value.double(), expected.double()
    scale = expected.abs().max().item()
    found = (value - expected).abs().max().item() / (scale if scale > 0 else 1.0)
    return found if found == found else float("inf")


def check(rank, pipeline, value):
    """Largest difference of this rank's gradients, and of the loss where it is known; how many are wrong, and of how many."""
    expected_modules, expected_value = whole_step(pipeline.model, pipeline.device, pipeline.batch)
    pairs = []
    if value is not None:
        pairs.append(("loss", value, expected_value))
    for index, module in pipeline.modules.items():
        expected = dict(expected_modules[index].named_parameters())
        for name, parameter in module.named_parameters():
            pairs.append((f"stage {index}, gradient of {name}", parameter.grad, expected[name].grad))
    worst, wrong = 0.0, 0
    for what, found, wanted in pairs:
        one = difference(found, wanted)
        worst = max(worst, one)
        if one > tolerance(wanted.dtype):
            wrong += 1
            print(f"rank {rank}: {what} differs by {one:.3g} of its size", file=sys.stderr, flush=True)
    return worst, wrong, len(pairs)


def steps(pipeline, rank, options):
    """Runs the steps; returns what --check found after the first one, before weights change."""
    found = None
    with traced(rank, options) as profiler:
        for number in range(options.steps):
            if profiler is not None:
                # A trace is compared with an iteration of the plan, which begins on all devices at once.
                with torch.profiler.record_function("barrier"):
                    dist.barrier()
            value = pipeline.step()
            if value is not None and pipeline.replica == 0:
                print(f"loss {value.item():.15g}", flush=True)
            if options.check and number == 0:
                found = check(rank, pipeline, value)
            if pipeline.optimizer is not None:
                pipeline.optimizer.step()
            if profiler is not None:
                profiler.step()
    return found


def traced(rank, options):
    """Writes what each rank did to a file of the folder behind --profile."""
    if options.profile is None:
        return contextlib.nullcontext()
    os.makedirs(options.profile, exist_ok=True)
    file = os.path.join(options.profile, f"rank{rank}.json")
    # The first step is recorded too: who reads the traces leaves it out.
    warnings.filterwarnings("ignore", message="Profiler won't be using warmup")
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    return torch.profiler.profile(
        activities=kinds,
        schedule=torch.profiler.schedule(wait=0, warmup=0, active=options.steps, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(file),
    )


def work(rank, options):
    """What each process does; its exit status."""
    local_rank = int(os.environ.get("LOCAL_RANK", rank))
    local_size = int(os.environ.get("LOCAL_WORLD_SIZE", WORLD))
    cuda = torch.cuda.is_available() and torch.cuda.device_count() >= local_size
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    model = load_model(options.model)
    dist.init_process_group("nccl" if cuda else "gloo", **options.rendezvous)
    try:
        if dist.get_world_size() != WORLD:
            raise SystemExit(f"The schedule has {WORLD} ranks, not {dist.get_world_size()}.")
        found = steps(Pipeline(model, device), rank, options)
        if found is None:
            return 0
        worst, wrong, compared = found
        total = torch.tensor([compared, wrong], dtype=torch.float64, device=device)
        largest = torch.tensor(worst, dtype=torch.float64, device=device)
        dist.all_reduce(total)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        equal = total[1].item() == 0
        if rank == 0 and equal:
            count = int(total[0].item()) // DATA - 1
            print(f"equal: the loss and {count} gradients, to {largest.item():.2g}", flush=True)
        elif rank == 0:
            print(f"different: by {largest.item():.3g} at most", flush=True)
        dist.all_reduce(total)  # Nobody ends, and so ends the others, before rank 0 has spoken.
        return 0 if equal else 1
    finally:
        dist.destroy_process_group()


def spawned(rank, options):
    options.rendezvous.update(rank=rank)
    sys.exit(work(rank, options))


def count(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it needs at least 1")
    return number


def main():
    parser = argparse.ArgumentParser(description="Run a pipeline schedule.")
    parser.add_argument("--model", metavar="FILE.py", help="your make_stage, make_input, make_target and loss")
    parser.add_argument("--steps", type=count, default=1, metavar="N", help="run N steps (default: 1)")
    parser.add_argument("--profile", metavar="DIR", help="write a trace of each rank there")
    parser.add_argument("--check", action="store_true", help="compare the first step with the unpipelined model")
    parser.add_argument("--spawn", action="store_true", help="start the processes here, without torchrun")
    options = parser.parse_args()
    options.rendezvous = {}
    if options.model is not None and not os.path.isfile(options.model):
        parser.error(f"--model {options.model}: there is no such file")
    if not options.spawn:
        if "RANK" not in os.environ:
            parser.error(f"start it with torchrun --nproc-per-node {WORLD}, or with --spawn")
        return work(int(os.environ["RANK"]), options)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store").replace(os.sep, "/")
        options.rendezvous = {"init_method": f"file:///{store.lstrip('/')}", "world_size": WORLD}
        # A forked process has PyTorch without importing it, which takes seconds. CUDA does not work in one.
        method = "fork" if sys.platform == "linux" and not torch.cuda.is_available() else "spawn"
        context = multiprocessing.start_processes(
            spawned, args=(options,), nprocs=WORLD, join=False, start_method=method
        )
        with contextlib.suppress(multiprocessing.ProcessExitedException):
            while not context.join():
                pass
        return 0 if all(process.exitcode == 0 for process in context.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
`;
