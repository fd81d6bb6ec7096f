/**
 * Steps that the expressions of a file may take. A few lines can ask for more than a machine takes in a year, so each
 * evaluation has a budget: a fixed number of steps, and more for whatever it makes.
 */
export interface Budget {
  /** Steps that may still be taken. */
  left: number;
  /** Steps that were allowed so far. */
  allowed: number;
}

export const budgetOf = (steps: number): Budget => ({ left: steps, allowed: steps });

/** Takes steps. False once there are no more. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}

/** Allows more steps. */
export function earn(budget: Budget, steps: number): void {
  budget.left += steps;
  budget.allowed += steps;
}
