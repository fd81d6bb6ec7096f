/** Said on export. */
export const layers =
  'The stages of the script are stand-ins, two small linear layers each: put your own in its make_stage, make_input, make_target and loss.';

/** Stand-in stages and data, made from seeds alone: the same on each rank and in the unpipelined model. */
export const model = `# Stand-ins: put your own stages, data and loss here.
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


def make_stage(index):
    torch.manual_seed(index)
    return Stage()


def make_input():
    torch.manual_seed(STAGES)
    return torch.randn(MICROBATCHES * SAMPLES, WIDTH, dtype=DTYPE)


def make_target():
    torch.manual_seed(STAGES + 1)
    return torch.randn(MICROBATCHES * SAMPLES, WIDTH, dtype=DTYPE)


def loss(output, target):
    # A mean over samples: PyTorch divides the gradients by the number of microbatches.
    return torch.nn.functional.mse_loss(output, target)
`;
