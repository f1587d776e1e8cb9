import type { OverlappingKey } from '../../domain/bots/overlapping-key.ts'
import type { ListedSecret } from '../../pages/components/secrets.ts'
import { form, oneOf } from '../../pages/form.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'

/**
 * Returns a flow's or runtime's key as a row of the table of keys.
 *
 * @param clearTextKey the key that this page shows in plaintext, if any.
 */
export function listedKey(key: OverlappingKey, clearTextKey: string | undefined): Omit<ListedSecret, 'revocation'> {
  return {
    ...key,
    label: key.endsAtMs === null ? t`Current key` : t`Previous key`,
    shownAbove: clearTextKey?.endsWith(key.lastFour) ?? false,
  }
}

export const keyEnding = (lastFour: string): Html => html`<code>••••${lastFour}</code>`

export function revokesPrevious({ lastFour }: OverlappingKey): Words {
  return t`The previous key ${keyEnding(lastFour)}, which was about to expire, is revoked now.`
}

/** The choices when a key is created: when the current key expires, and whether the first key is required at once. */
export const keyForm = form({
  keyBefore: oneOf({
    label: t.in('expiry')`Current key`,
    among: [
      {
        value: 'ends-in-24-hours',
        label: t`Keep it for 24 hours`,
        hint: t`Gives you time to deploy the new key everywhere.`,
      },
      { value: 'ends-now', label: t`Revoke it now`, hint: t`Choose this if the key has leaked.` },
    ],
    otherwise: 'ends-in-24-hours',
  }),
  requirement: oneOf({
    label: t`Webhooks without a key`,
    among: [
      { value: 'required', label: t`Reject them now`, hint: t`Senders get 401 until you enter the key there.` },
      {
        value: 'optional',
        label: t`Accept them for now`,
        hint: t`Gives you time to enter the key at every sender. Then require it on the flow’s page.`,
      },
    ],
    otherwise: 'required',
  }),
})

export const keyFields = keyForm.fields({ values: { keyBefore: 'ends-in-24-hours', requirement: 'required' } })
