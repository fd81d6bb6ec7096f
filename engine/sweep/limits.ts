/** Limits of a sweep. */

/** Rows of one sweep; a larger product is refused before anything is made of it. */
export const mostRows = 1_000_000;

/** Rows that are looked at between two decisions on what to drop: the same rows, whatever number of threads does it. */
export const waveRows = 64;
