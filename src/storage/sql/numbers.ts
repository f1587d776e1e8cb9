/** Numbers of rows that are named before they are stored. */
export interface Numbers {
  /** The next number, never handed out twice. Some are lost when a process ends; that is no harm. */
  next(): number | Promise<number>
}
