import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { type Html, t, type Words } from '../../../pages/html.ts'

type OwnState = BotState | 'not-connected-yet'

/** A bot's states as its owner and collaborators see them, each with an explanation. */
const ownStateWords: Readonly<Record<OwnState, { word: Words; meaning: Words }>> = {
  online: {
    word: t`Online`,
    meaning: t`Connected to the chat platform.`,
  },
  connecting: {
    word: t`Connecting`,
    meaning: t`The runtime sends heartbeats, but the connection to the chat platform isn’t ready yet.`,
  },
  offline: {
    word: t`Offline`,
    meaning: t`Hosting is on, but no heartbeat arrived in the last 90 seconds. Check that the runtime is running.`,
  },
  'not-connected-yet': {
    word: t`Not connected yet`,
    meaning: t`Hosting is on.`,
  },
  'hosting-off': {
    word: t`Hosting off`,
    meaning: t`The bot isn’t running. New webhooks are kept for 24 hours.`,
  },
}

const tones: Record<OwnState, Tone> = {
  online: 'good',
  connecting: 'warn',
  offline: 'bad',
  'not-connected-yet': 'neutral',
  'hosting-off': 'neutral',
}

/**
 * Returns the bot's state as a label, and what it means. A bot that never connected isn't shown as an outage.
 *
 * @param reportedAtMs when the last heartbeat was received. `null` if the bot never had one.
 */
export function ownState(is: BotState, reportedAtMs: number | null): { label: Html; meaning: Words } {
  const shown = is === 'offline' && reportedAtMs === null ? 'not-connected-yet' : is
  const { word, meaning } = ownStateWords[shown]
  return { label: state({ tone: tones[shown], word }), meaning }
}
