/**
 * Milliseconds to wait for what must come. A limit ends what hangs and is no measure of speed: a machine that runs other things at the
 * same time must not break a test. `quiet`: what a quiet machine with two cores may take at most.
 */
export const patience = (quiet: number): number => quiet * 8;
