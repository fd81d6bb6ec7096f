/** The comparison, the set-up of processes, and the command line of the program. */
export const main = `def tolerance(dtype):
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


def check(rank, device, modules, value):
    """Largest difference of this rank's gradients, and of the loss where it is known; how many are wrong, and of how many."""
    expected_modules, expected_value = whole_step(device)
    pairs = []
    if value is not None:
        pairs.append(("loss", value, expected_value))
    for index, module in modules.items():
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


def work(rank, options):
    """What each process does; its exit status."""
    local_rank = int(os.environ.get("LOCAL_RANK", rank))
    local_size = int(os.environ.get("LOCAL_WORLD_SIZE", RANKS))
    cuda = torch.cuda.is_available() and torch.cuda.device_count() >= local_size
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo", **options.rendezvous)
    try:
        if dist.get_world_size() != RANKS:
            raise SystemExit(f"The schedule has {RANKS} ranks, not {dist.get_world_size()}.")
        modules, value = pipelined_step(rank, device)
        if value is not None:
            print(f"loss {value.item():.15g}", flush=True)
        if not options.check:
            return 0
        worst, wrong, compared = check(rank, device, modules, value)
        total = torch.tensor([compared, wrong], dtype=torch.float64, device=device)
        largest = torch.tensor(worst, dtype=torch.float64, device=device)
        dist.all_reduce(total)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        equal = total[1].item() == 0
        if rank == 0 and equal:
            print(f"equal: the loss and {int(total[0].item()) - 1} gradients, to {largest.item():.2g}", flush=True)
        elif rank == 0:
            print(f"different: by {largest.item():.3g} at most", flush=True)
        dist.all_reduce(total)  # Nobody ends, and so ends the others, before rank 0 has spoken.
        return 0 if equal else 1
    finally:
        dist.destroy_process_group()


def spawned(rank, options):
    options.rendezvous.update(rank=rank)
    sys.exit(work(rank, options))


def main():
    parser = argparse.ArgumentParser(description="Run a pipeline schedule on stand-in stages.")
    parser.add_argument("--check", action="store_true", help="compare with the unpipelined model")
    parser.add_argument("--spawn", action="store_true", help="start the processes here, without torchrun")
    options = parser.parse_args()
    options.rendezvous = {}
    if not options.spawn:
        if "RANK" not in os.environ:
            parser.error(f"start it with torchrun --nproc-per-node {RANKS}, or with --spawn")
        return work(int(os.environ["RANK"]), options)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store").replace(os.sep, "/")
        options.rendezvous = {"init_method": f"file:///{store.lstrip('/')}", "world_size": RANKS}
        # A forked process has PyTorch without importing it, which takes seconds. CUDA does not work in one.
        method = "fork" if sys.platform == "linux" and not torch.cuda.is_available() else "spawn"
        context = multiprocessing.start_processes(
            spawned, args=(options,), nprocs=RANKS, join=False, start_method=method
        )
        with contextlib.suppress(multiprocessing.ProcessExitedException):
            while not context.join():
                pass
        return 0 if all(process.exitcode == 0 for process in context.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
`;
