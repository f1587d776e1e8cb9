import type { BotState } from '../../../domain/bots/bot-status.ts'
import type { IconName } from '../../../http/components/icon.ts'
import type { Tone } from '../../../http/components/notice.ts'

interface StateWords {
  tone: Tone
  icon: IconName
  word: string
  meaning: string
}

/** How a bot is, as page, badge and preview picture say it. */
export const statesInWords: Record<BotState, StateWords> = {
  online: { tone: 'good', icon: 'check', word: 'Online', meaning: 'The bot is connected to the chat platform.' },
  connecting: {
    tone: 'warn',
    icon: 'warning',
    word: 'Connecting',
    meaning: 'The bot is running, and its connection to the chat platform is not ready yet.',
  },
  offline: {
    tone: 'bad',
    icon: 'cross',
    word: 'Offline',
    meaning: 'Hosting is on, but nothing runs the bot: its runtime left, or no heartbeat came in the last 90 seconds.',
  },
  'hosting-off': {
    tone: 'neutral',
    icon: 'dash',
    word: 'Hosting off',
    meaning: 'The bot’s owner has powered its hosting off.',
  },
}
