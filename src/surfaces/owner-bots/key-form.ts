import type { KeyBefore } from '../../domain/bots/overlapping-key.ts'
import { formText } from '../../pages/form-fields.ts'
import type { BotVisit } from './on-bot.ts'

/** Returns the key's number from the URL. Returns -1, which no key has, if it is malformed. */
export function keyNumberIn({ request }: BotVisit): number {
  const { number } = request.params as { number: string }
  return /^\d{1,15}$/.test(number) ? Number(number) : -1
}

/** Reads what happens to the current key, from the form of a new one. */
export function keyBeforeIn({ request }: BotVisit): KeyBefore {
  return formText(request, 'key_before') === 'ends-now' ? 'ends-now' : 'ends-in-24-hours'
}
