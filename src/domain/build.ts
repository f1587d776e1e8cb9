/** The release that this process runs. */
export interface Build {
  version: string
  /** First characters of the commit hash; `undefined` if unknown. */
  commit: string | undefined
}
