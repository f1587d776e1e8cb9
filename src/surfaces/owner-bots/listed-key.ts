import type { OverlappingKey } from '../../domain/bots/overlapping-key.ts'
import type { ListedSecret } from '../../pages/components/secrets.ts'
import { secretTableWords as words } from '../../pages/words/components.ts'

/**
 * Returns a flow's or runtime's key as a row of the table of keys.
 *
 * @param clearTextKey the key that this page shows in plaintext, if any.
 */
export function listedKey(key: OverlappingKey, clearTextKey: string | undefined): Omit<ListedSecret, 'revocation'> {
  return {
    ...key,
    label: key.endsAtMs === null ? words.currentKey : words.previousKey,
    shownAbove: clearTextKey?.endsWith(key.lastFour) ?? false,
  }
}
