/** The release that runs. */
export interface Build {
  version: string
  /** Start of the commit's hash; `undefined` where it isn't known. */
  commit: string | undefined
}
