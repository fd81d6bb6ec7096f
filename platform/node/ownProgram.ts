/** The editor's own program runs scripts, as Node does, under this. */
export const environment = { ELECTRON_RUN_AS_NODE: '1' };
