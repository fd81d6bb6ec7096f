/** Limits of a sweep. */

/** Rows that are looked at between two decisions on what to drop: the same rows, whatever number of threads does it. */
export const waveRows = 64;

/** Rows that are placed, or bounded, between two pauses: some milliseconds. */
export const rowsOfPause = 512;
