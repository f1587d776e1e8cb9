import type { KeyBefore } from '../../domain/bots/overlapping-key.ts'
import { formText } from '../../pages/form-fields.ts'
import type { BotVisit } from './on-bot.ts'

/** The key that the address names; for what is no number, one that no key has. */
export function keyNumberIn({ request }: BotVisit): number {
  const { number } = request.params as { number: string }
  return /^\d{1,15}$/.test(number) ? Number(number) : -1
}

/** What the form of a new key says of the one before. */
export function keyBeforeIn({ request }: BotVisit): KeyBefore {
  return formText(request, 'key_before') === 'ends-now' ? 'ends-now' : 'ends-in-24-hours'
}
