import type { PreviousKeyPolicy } from '../../domain/bots/overlapping-key.ts'
import { formText } from '../../pages/form-posts.ts'
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
