import type { HostingLocation } from '../../../domain/bots/bot.ts'
import type { BotState } from '../../../domain/bots/bot-status.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'

/** A bot's state for its own people: the word, what it means, and what they can do about it. */
export const stateWords: Record<BotState, { tone: Tone; word: string; meaning: string }> = {
  online: { tone: 'good', word: 'Online', meaning: 'It is connected to the chat platform.' },
  connecting: {
    tone: 'warn',
    word: 'Connecting',
    meaning: 'Its runtime reports, but the connection to the chat platform is not ready yet.',
  },
  offline: {
    tone: 'bad',
    word: 'Offline',
    meaning:
      'Hosting is on, but no heartbeat came in the last 90 seconds. Check whether its runtime runs and connects.',
  },
  'hosting-off': {
    tone: 'neutral',
    word: 'Hosting off',
    meaning: 'Nothing runs it. Webhooks that come meanwhile are kept for 24 hours.',
  },
}

export function stateInWord(is: BotState): Html {
  const { tone, word } = stateWords[is]
  return state({ tone, word })
}

export const locationWords: Record<HostingLocation, string> = { local: 'Local', cloud: 'Cloud' }
