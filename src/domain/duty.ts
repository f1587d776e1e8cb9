/**
 * Whether it falls to this node to do what one node does at a time: pruning, roll-ups, mail. A node alone always has
 * the duty; among several it moves on when the one that has it goes.
 */
export interface Duty {
  readonly ours: boolean
}

export const alone: Duty = { ours: true }
