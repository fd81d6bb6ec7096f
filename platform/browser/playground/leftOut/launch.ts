/** In place of what a program for a training engine is launched with. */
export const launchOf = (): undefined => undefined;
