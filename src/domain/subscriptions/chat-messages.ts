import type { Language } from '../language.ts'
import type { EventType } from './outgoing-event.ts'

/** Signed events (Standard Webhooks), or messages to a chat. */
export const subscriptionFormats = ['standard', 'discord', 'slack'] as const
export type SubscriptionFormat = (typeof subscriptionFormats)[number]
export type ChatFormat = Exclude<SubscriptionFormat, 'standard'>

/** An event as in the body of a signed request. */
export interface ChatEvent {
  type: string
  data: Readonly<Record<string, unknown>>
}

export interface ChatMessages {
  write(format: ChatFormat, language: Language, events: readonly ChatEvent[]): Uint8Array
  /** The text of a message with an example of each type. */
  example(language: Language, types: readonly EventType[]): string
}

/** Removes the token. The result isn't a valid URL, so it can't be mistaken for a complete one. */
export function shortenedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  const path = pathname + search
  return `${origin}/…${path.length > 16 ? path.slice(-4) : ''}`
}
