import type { OverlappingKey, PreviousKeyPolicy } from '../../domain/bots/overlapping-key.ts'
import { choices } from '../../pages/components/field.ts'
import type { ListedSecret } from '../../pages/components/secrets.ts'
import { formText } from '../../pages/form-posts.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { secretTableWords } from '../../pages/words/components.ts'
import type { BotVisit } from './on-bot.ts'

/** Returns the key number from the URL. If it is malformed, returns -1, which no key has. */
export function keyNumberIn({ request }: BotVisit): number {
  const { number } = request.params as { number: string }
  return /^\d{1,15}$/.test(number) ? Number(number) : -1
}

/** Returns when the current key should expire, as chosen in the form. */
export function keyBeforeIn({ request }: BotVisit): PreviousKeyPolicy {
  return formText(request, 'key_before') === 'ends-now' ? 'ends-now' : 'ends-in-24-hours'
}

/** Returns whether the form's choice is that webhooks without a key are still accepted. */
export function keepsKeyOptional({ request }: BotVisit): boolean {
  return formText(request, 'requirement') === 'optional'
}

/**
 * Returns a flow's or runtime's key as a row of the table of keys.
 *
 * @param clearTextKey the key that this page shows in plaintext, if any.
 */
export function listedKey(key: OverlappingKey, clearTextKey: string | undefined): Omit<ListedSecret, 'revocation'> {
  return {
    ...key,
    label: key.endsAtMs === null ? secretTableWords.currentKey : secretTableWords.previousKey,
    shownAbove: clearTextKey?.endsWith(key.lastFour) ?? false,
  }
}

const code = (text: string) => html`<code>${text}</code>`

/** Text for confirmation pages about flow keys and runtime keys. */
export const keyQuestionWords = {
  keyBefore: {
    label: t.in('expiry')`Current key`,
    for24Hours: t`Keep it for 24 hours`,
    for24HoursMeans: t`Gives you time to deploy the new key everywhere.`,
    endsNow: t`Revoke it now`,
    endsNowMeans: t`Choose this if the key has leaked.`,
  },
  createTitle: (of: string): Words => t`Create a key for ${of}?`,
  replaceTitle: (of: string): Words => t`Replace the key of ${of}?`,
  newKey: t`The new key is shown only once and works immediately.`,
  requirement: {
    label: t`Webhooks without a key`,
    required: t`Reject them now`,
    requiredMeans: t`Senders get 401 until you enter the key there.`,
    optional: t`Accept them for now`,
    optionalMeans: t`Gives you time to enter the key at every sender. Then require it on the flow’s page.`,
  },
  requireTitle: (of: string): Words => t`Require the key of ${of}?`,
  requireEffect: (lastFour: string): Words =>
    t`Webhooks without the key ${code(`••••${lastFour}`)} are then rejected with 401. Enter it at every sender first.`,
  require: t`Require key`,
  revokesPrevious: (lastFour: string): Words =>
    t`The previous key ${code(`••••${lastFour}`)}, which was about to expire, is revoked now.`,
  create: t`Create key`,
  replace: t`Replace key`,
  revokeTitle: t`Revoke this key now?`,
  revokeOfFlow: (lastFour: string): Words => t`The key ${code(`••••${lastFour}`)} stops working now.`,
  revokedIsRejected: t`Webhooks with this key are rejected with 401.`,
  revokeOfRuntime: (lastFour: string, runtime: string): Words =>
    t`The key ${code(`••••${lastFour}`)} of ${runtime} stops working now. Its connections are closed.`,
  revoke: t`Revoke key`,
  keep: t`Keep key`,
}

/** Choices for when the current key expires, in the form that creates a new key. */
export const keyBeforeField: Html = choices({
  name: 'key_before',
  label: keyQuestionWords.keyBefore.label,
  choose: 'one',
  chosen: ['ends-in-24-hours'],
  among: [
    {
      value: 'ends-in-24-hours',
      label: keyQuestionWords.keyBefore.for24Hours,
      hint: keyQuestionWords.keyBefore.for24HoursMeans,
    },
    { value: 'ends-now', label: keyQuestionWords.keyBefore.endsNow, hint: keyQuestionWords.keyBefore.endsNowMeans },
  ],
})

/** Choices for whether the first key of a flow is required at once, in the form that creates it. */
export const requirementField: Html = choices({
  name: 'requirement',
  label: keyQuestionWords.requirement.label,
  choose: 'one',
  chosen: ['required'],
  among: [
    {
      value: 'required',
      label: keyQuestionWords.requirement.required,
      hint: keyQuestionWords.requirement.requiredMeans,
    },
    {
      value: 'optional',
      label: keyQuestionWords.requirement.optional,
      hint: keyQuestionWords.requirement.optionalMeans,
    },
  ],
})
