import type { OverlappingKey, PreviousKeyPolicy } from '../../domain/bots/overlapping-key.ts'
import { choices } from '../../pages/components/field.ts'
import type { ListedSecret } from '../../pages/components/secrets.ts'
import { formText } from '../../pages/form-posts.ts'
import { type Html, html, type Words, words } from '../../pages/html.ts'
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
    label: words({ en: 'Current key', de: 'Bisheriger Schlüssel' }),
    for24Hours: words({ en: 'Keep it for 24 hours', de: 'Noch 24 Stunden gültig lassen' }),
    for24HoursMeans: words({
      en: 'Gives you time to deploy the new key everywhere.',
      de: 'So haben Sie Zeit, den neuen Schlüssel überall einzutragen.',
    }),
    endsNow: words({ en: 'Revoke it now', de: 'Sofort widerrufen' }),
    endsNowMeans: words({
      en: 'Choose this if the key has leaked.',
      de: 'Wählen Sie diese Option, wenn der Schlüssel in falsche Hände geraten ist.',
    }),
  },
  createTitle: (of: string): Words => words({ en: `Create a key for ${of}?`, de: `Schlüssel für ${of} erstellen?` }),
  replaceTitle: (of: string): Words => words({ en: `Replace the key of ${of}?`, de: `Schlüssel von ${of} ersetzen?` }),
  newKey: words({
    en: 'The new key is shown only once and works immediately.',
    de: 'Der neue Schlüssel ist sofort gültig und wird nur einmal angezeigt.',
  }),
  requirement: {
    label: words({ en: 'Webhooks without a key', de: 'Webhooks ohne Schlüssel' }),
    required: words({ en: 'Reject them now', de: 'Sofort abweisen' }),
    requiredMeans: words({
      en: 'Senders get 401 until you enter the key there.',
      de: 'Absender erhalten 401, bis Sie dort den Schlüssel eintragen.',
    }),
    optional: words({ en: 'Accept them for now', de: 'Vorerst annehmen' }),
    optionalMeans: words({
      en: 'Gives you time to enter the key at every sender. Then require it on the flow’s page.',
      de: 'So haben Sie Zeit, den Schlüssel bei allen Absendern einzutragen. Verlangen Sie ihn danach auf der Seite des Flows.',
    }),
  },
  requireTitle: (of: string): Words => words({ en: `Require the key of ${of}?`, de: `Schlüssel von ${of} verlangen?` }),
  requireEffect: (lastFour: string): Words =>
    words({
      en: html`Webhooks without the key ${code(`••••${lastFour}`)} are then rejected with 401. Enter it at every sender first.`,
      de: html`Webhooks ohne den Schlüssel ${code(`••••${lastFour}`)} werden danach mit 401 abgewiesen. Tragen Sie ihn vorher bei allen Absendern ein.`,
    }),
  require: words({ en: 'Require key', de: 'Schlüssel verlangen' }),
  revokesPrevious: (lastFour: string): Words =>
    words({
      en: html`The previous key ${code(`••••${lastFour}`)}, which was about to expire, is revoked now.`,
      de: html`Der vorherige Schlüssel ${code(`••••${lastFour}`)} war noch befristet gültig und wird sofort widerrufen.`,
    }),
  create: words({ en: 'Create key', de: 'Schlüssel erstellen' }),
  replace: words({ en: 'Replace key', de: 'Schlüssel ersetzen' }),
  revokeTitle: words({ en: 'Revoke this key now?', de: 'Diesen Schlüssel jetzt widerrufen?' }),
  revokeOfFlow: (lastFour: string): Words =>
    words({
      en: html`The key ${code(`••••${lastFour}`)} stops working now.`,
      de: html`Der Schlüssel ${code(`••••${lastFour}`)} wird sofort ungültig.`,
    }),
  revokedIsRejected: words({
    en: 'Webhooks with this key are rejected with 401.',
    de: 'Webhooks mit diesem Schlüssel werden mit 401 abgewiesen.',
  }),
  revokeOfRuntime: (lastFour: string, runtime: string): Words =>
    words({
      en: html`The key ${code(`••••${lastFour}`)} of ${runtime} stops working now. Its connections are closed.`,
      de: html`Der Schlüssel ${code(`••••${lastFour}`)} von ${runtime} wird sofort ungültig. Bestehende Verbindungen werden getrennt.`,
    }),
  revoke: words({ en: 'Revoke key', de: 'Schlüssel widerrufen' }),
  keep: words({ en: 'Keep key', de: 'Schlüssel behalten' }),
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
