/** An example that an empty file may begin with. Figures and rows are of its simulation. */
export interface ExampleCard {
  /** Name of its file, without the ending. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly lines: number;
  /** Seconds, and a share of 1. */
  readonly iteration: number;
  readonly bubble: number;
  readonly notes: readonly string[];
  /** By device: a letter for each stretch of time, `F`, `I`, `W` or another, small where an operation begins; a space for idle time. */
  readonly rows: readonly string[];
  /** By device, where a rule orders the exchange of gradients: the number of a layer's colour for each stretch; a space where nothing is sent. */
  readonly lanes?: readonly string[];
  /** By device: the first cells of its order as PyTorch writes it. */
  readonly csv: readonly string[];
}
