/** Shares of exchanges that kernels hide, where nobody has measured them. */

/** Of 12 exchanges of tensor ranks in a recomputed layer, those that can be joined with a product of matrices. */
const joinedWithProducts = 10 / 12;

/**
 * Userbuffers of Transformer Engine, asynchronous tensor parallelism: of t pieces all but one are hidden, in exchanges next to a
 * product. Full tenths of that share.
 */
export const overlapTensorShare = (tensor: number): number =>
  Math.floor((10 * joinedWithProducts * (tensor - 1)) / tensor) / 10;

/** Exchanges of experts next to the compute of another microbatch: all that this compute covers. Kernels reach less. */
export const overlapExpertShare = 1;
