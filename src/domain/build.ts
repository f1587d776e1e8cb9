export interface Build {
  version: string
  /** First characters of the commit hash; `undefined` if unknown. */
  commit: string | undefined
}
