import type { Text } from '../../pages/html.ts'

export type HitKind = 'application' | 'bot' | 'flow' | 'page' | 'guide' | 'event'

/** A page that a search can find. */
export interface Hit {
  kind: HitKind
  title: Text
  /** The pages that contain the found page, the outermost first. */
  where: readonly Text[]
  href: string
  /** IDs and other words that find the page although the results don't show them. */
  alsoKnownAs: readonly string[]
}
