/** Said on export. */
export const layers =
  'The stages of the script are stand-ins, two small linear layers each: put yours into a file with make_stage, make_input, make_target and loss, and name it behind --model.';

/** Stand-in stages and data, made from seeds alone: the same on each rank and in the unpipelined model. */
export const model = `# Stand-ins. A file behind --model replaces them, and a new export of the schedule does not touch that file.
WIDTH = 8
SAMPLES = 2  # of one microbatch
DTYPE = torch.float64


class Stage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(WIDTH, 2 * WIDTH, dtype=DTYPE)
        self.outer = torch.nn.Linear(2 * WIDTH, WIDTH, dtype=DTYPE)

    def forward(self, x):
        return x + self.outer(torch.tanh(self.inner(x)))


def make_stage(index, layers):
    """The module of a stage; \`layers\` are the names of its layers. Equal weights on each call, whatever the rank."""
    torch.manual_seed(index)
    return Stage()


def make_input():
    """The input of a step, the samples of all pipelines in the first dimension. Equal on each rank."""
    torch.manual_seed(STAGES)
    return torch.randn(DATA * MICROBATCHES * SAMPLES, WIDTH, dtype=DTYPE)


def make_target():
    torch.manual_seed(STAGES + 1)
    return torch.randn(DATA * MICROBATCHES * SAMPLES, WIDTH, dtype=DTYPE)


def loss(output, target):
    # A mean over samples: PyTorch divides the gradients by the number of microbatches, and pipelines average them.
    return torch.nn.functional.mse_loss(output, target)


def load_model(path):
    """The module of a file with make_stage, make_input, make_target and loss; without one, the stand-ins."""
    if path is None:
        return sys.modules[__name__]
    spec = importlib.util.spec_from_file_location("model", path)
    if spec is None:
        raise SystemExit(f"--model {path} is not a Python file.")
    found = importlib.util.module_from_spec(spec)
    sys.modules["model"] = found
    spec.loader.exec_module(found)
    missing = [name for name in ("make_stage", "make_input", "make_target", "loss") if not hasattr(found, name)]
    if missing:
        needed = "make_stage(index, layers), make_input(), make_target() and loss(output, target)"
        raise SystemExit(f"--model {path} has no {', '.join(missing)}. It needs {needed}.")
    return found
`;
