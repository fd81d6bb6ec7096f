/** Of an operation that a completed row has and the text lacks, in place of the number of a written item. */
export const addedItem = -2;
